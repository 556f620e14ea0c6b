import { workerData } from 'node:worker_threads';
import { answerCalls, sendToCaller } from '../../../base/adapters/asked-thread.ts';
import { EngineWorker } from './engine-worker.ts';
import type { EngineCalls, EngineSetup } from './protocol.ts';

/** The durable engine's thread. */

const engine = new EngineWorker(workerData as EngineSetup, sendToCaller);
const { table, passes } = engine;

answerCalls<EngineCalls>({
  begin: () => engine.begin(),
  start: (run) => engine.start(run),
  wake: (run) => engine.wake(run),
  cancel: (run, by) => engine.cancel(run, by),
  get: (run) => table.get(run),
  list: (query) => table.list(query),
  steps: (run) => engine.steps(run),
  putText: (name, text) => table.putText(name, text),
  getText: (name) => table.getText(name),
  dropTexts: (except) => table.dropTexts(except),
  told: (run, input) => table.told(run, input),
  prune: (time) => engine.prune(time),
  forget: (runs) => engine.forget(runs),
  record: (pass, step) => passes.record(pass, step),
  end: (pass, end) => passes.end(pass, end),
  giveUp: (pass, reason) => passes.giveUp(pass, reason),
  close: () => engine.close(),
});
