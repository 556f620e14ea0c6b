import { parentPort, workerData } from 'node:worker_threads';
import { EngineWorker } from './engine-worker.ts';
import type { EngineCalls, EngineOp, EngineSetup, FromEngine, ToEngine } from './protocol.ts';

/** The durable engine's thread: answers calls in order, and hands out passes. */

const port = parentPort;
if (port === null) throw new Error('started by openworkflow-engine.ts only');
const send = (message: FromEngine): void => port.postMessage(message);
const engine = new EngineWorker(workerData as EngineSetup, send);

const calls: {
  [Op in EngineOp]: (
    input: EngineCalls[Op]['in'],
  ) => EngineCalls[Op]['out'] | Promise<EngineCalls[Op]['out']>;
} = {
  begin: () => nothing(engine.begin()),
  start: (run) => engine.start(run),
  wake: async (run) => nothing(await engine.wake(run)),
  cancel: ({ run, by }) => engine.cancel(run, by),
  get: (run) => engine.table.get(run),
  list: (query) => engine.table.list(query),
  steps: (run) => engine.steps(run),
  putText: ({ name, text }) => nothing(engine.table.putText(name, text)),
  getText: (name) => engine.table.getText(name),
  dropTexts: (except) => nothing(engine.table.dropTexts(except)),
  told: ({ run, input }) => nothing(engine.table.told(run, input)),
  prune: (time) => engine.prune(time),
  forget: (runs) => engine.forget(runs),
  close: async () => nothing(await engine.close()),
};

function nothing(_: unknown): null {
  return null;
}

async function answer({ id, op, input }: Extract<ToEngine, { id: number }>): Promise<void> {
  try {
    const call = calls[op] as (given: typeof input) => unknown;
    send({ id, value: await call(input) });
  } catch (error) {
    send({ id, error: (error as Error).message });
  }
  if (op === 'close') port?.close();
}

port.on('message', (message: ToEngine) => {
  if ('id' in message) void answer(message);
  else engine.passes.take(message);
});
