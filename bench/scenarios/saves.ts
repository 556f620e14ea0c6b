import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Flow, FlowNode } from '#shared/flow.ts';
import {
  type BenchContext,
  type Line,
  measureSlowness,
  median,
  medianRatio,
  type Scenario,
} from '../harness.ts';
import { flowFolder, loopDelayPreload, type Server, startWeft } from '../servers.ts';
import { signIn } from '../session.ts';

const NODES = 1000;
const MANY_NODES = 4000;
const ID = 'large';
/** Others who ask meanwhile wait so long at most, in milliseconds. */
const WAIT_LIMIT_MS = 50;

/** What a large flow costs to save and to read, and those who want something else meanwhile. */
export const saves: Scenario = {
  name: 'saves',
  title: 'Saving and reading large flows',
  async run({ quick, say }: BenchContext): Promise<Line[]> {
    const times = await ratios(quick ? 7 : 25);
    say(`${NODES} nodes were saved and read`);
    const late = await lateness(quick ? 5 : 15);
    const slowness = measureSlowness();
    return [
      {
        name: `save of a ${NODES}-node flow, against a check of it`,
        figure: medianRatio(times.save, times.check),
        unit: 'x',
        bar: { kind: 'at most', value: 1.3 },
        note: `${median(times.save).toFixed(0)} ms against ${median(times.check).toFixed(0)} ms, over HTTP`,
      },
      {
        name: `reading a ${NODES}-node flow, against a check of it`,
        figure: medianRatio(times.read, times.check),
        unit: 'x',
        bar: { kind: 'at most', value: 0.1 },
        note: `${median(times.read).toFixed(1)} ms`,
      },
      {
        name: `event loop late while ${MANY_NODES} nodes are saved`,
        figure: median(late),
        unit: 'ms',
        bar: { kind: 'at most', value: WAIT_LIMIT_MS },
        slowness,
        note: `median of the worst of each save, by its own work; longest ${Math.max(...late).toFixed(0)} ms`,
      },
    ];
  },
};

/** A save, a read, and a check of a text that was never seen before, in turns. Large texts are checked in a thread, so any core will do. */
async function ratios(rounds: number) {
  using folder = flowFolder([row(NODES, 0)]);
  await using server = await startWeft(folder.path, { anyCore: true });
  const session = await signIn(server);
  const times = { save: [] as number[], read: [] as number[], check: [] as number[] };
  let known = await session.text(`/flows/${ID}`);
  // So that the compiler is done with all of it, in the thread too.
  const warmUp = 5;
  for (let round = 0; round < warmUp + rounds; round++) {
    const { revision } = (JSON.parse(known) as { data: { revision: string } }).data;
    const next = { flow: row(NODES, 2 * round + 1), revision };
    const save = await timed(async () => {
      known = await session.text(`/flows/${ID}`, 'PUT', next);
    });
    const read = await timed(() => session.text(`/flows/${ID}`));
    const unseen = { id: ID, flow: row(NODES, 2 * round + 2) };
    const check = await timed(() => session.text('/flows/check', 'POST', unseen));
    if (round < warmUp) continue;
    times.save.push(save);
    times.read.push(read);
    times.check.push(check);
  }
  return times;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The longest that the event loop stood still in each of some saves, by the work of its own thread, in milliseconds. */
async function lateness(rounds: number): Promise<number[]> {
  using folder = flowFolder([row(MANY_NODES, 0)]);
  await using server = await startWeft(folder.path, {
    anyCore: true,
    nodeArgs: ['--import', loopDelayPreload],
    ipc: true,
  });
  const session = await signIn(server);
  const late: number[] = [];
  let { revision } = await session.get(ID);
  for (let round = 0; round < rounds + 3; round++) {
    server.child.send('begin');
    ({ revision } = await session.save(row(MANY_NODES, round + 1), revision));
    await pause(50);
    if (round >= 3) late.push(await ownLateness(server));
  }
  return late;
}

async function ownLateness({ child }: Server): Promise<number> {
  child.send('tell');
  const [{ own }] = (await once(child, 'message')) as [{ own: { max: number } }];
  return own.max;
}

/** Nodes in a row, each of which reads what the one before it gives; `seed` makes it another flow. */
function row(size: number, seed: number): Flow {
  const nodes: Record<string, FlowNode> = {
    start: { operator: 'trigger.http', params: { path: '/large', auth: 'none' } },
  };
  const edges: Flow['edges'] = [];
  let last = 'start';
  for (let i = 0; i < size; i++) {
    const id = `n${i}`;
    nodes[id] = { operator: 'core.map', params: { value: `{{ input }} {{ ${seed} + ${i} }}` } };
    edges.push({ from: `${last}.out`, to: `${id}.in` });
    last = id;
  }
  return { format: 1, id: ID, nodes, edges };
}
