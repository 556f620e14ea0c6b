import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { helloFlow } from '../flows.ts';
import type { Line } from '../harness.ts';
import { assertGood, rawRequest, startLoader } from '../load.ts';
import { driftLine, settledMemory } from '../memory-drift.ts';
import { flowFolder, settlePreload, startWeft } from '../servers.ts';
import { fact, type SoakContext, type SoakPart } from './part.ts';

const WINDOWS = 20;
const CONNECTIONS = 32;
const MB = 1024 ** 2;
const HELLO = {
  raw: rawRequest('GET', '/api/v1/awel/trigger/hello?name=Ada'),
  body: '"Hello, Ada, your age is 18"',
};

/** Runs of which only the row is kept, so many that the store reaches its limit and goes on below it. */
export const summaries: SoakPart = {
  name: 'summaries',
  title: 'Summaries of very many runs',
  async run({ short, say }: SoakContext): Promise<Line[]> {
    const runs = short ? 10_000 : 1_000_000;
    const limitMB = short ? 1 : 16;
    using folder = flowFolder([helloFlow('hello', '/hello', { settings: { record: 'summary' } })]);
    await using server = await startWeft(folder.path, {
      nodeArgs: ['--expose-gc', '--import', settlePreload],
      ipc: true,
      env: { WEFT_RUNS_SIZE: `${limitMB}MB`, WEFT_EDITOR: 'off' },
    });
    await using loader = startLoader();
    const heap: number[] = [];
    const resident: number[] = [];
    const stored: number[] = [];
    for (let i = 0; i < WINDOWS; i++) {
      const count = runs / WINDOWS;
      const load = { port: server.port, requests: [HELLO], status: 200, connections: CONNECTIONS, count };
      assertGood(await loader.run(load));
      heap.push((await settledMemory(server)).heapUsed / MB);
      resident.push(server.rssMB());
      stored.push(storeMB(join(folder.path, 'data/runs')));
      if (!short)
        say(
          `${((i + 1) * runs) / WINDOWS} runs: heap ${heap.at(-1)?.toFixed(1)} MB, store ${stored.at(-1)?.toFixed(1)} MB`,
        );
    }
    return [
      fact('runs', runs),
      driftLine('growth of the heap', heap, short ? 15 : 5),
      // V8 enlarges the young generation during the first few 100,000 runs.
      { ...driftLine('growth of resident memory', resident, 5), ...(short && { bar: undefined }) },
      {
        name: `largest store with a limit of ${limitMB} MB`,
        figure: Math.max(...stored),
        unit: 'MB',
        // The newest file is written on when the others have their share, and its log of writes lies beside.
        bar: { kind: 'at most', value: limitMB + 6 },
      },
    ];
  },
};

/** All files of a folder together. */
function storeMB(folder: string): number {
  if (!existsSync(folder)) return 0;
  const sizes = readdirSync(folder).map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0) / MB;
}
