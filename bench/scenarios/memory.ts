import { manyHelloFlows } from '../flows.ts';
import { type BenchContext, type Line, median, type Scenario } from '../harness.ts';
import { assertGood, CONNECTIONS, type Loader, type LoadSpec, rawRequest, startLoader } from '../load.ts';
import { driftLine, settledMemory } from '../memory-drift.ts';
import { flowFolder, type LaunchOptions, type Server, settlePreload, startWeft } from '../servers.ts';

const FLOWS = 100;
const IDLE_LIMIT_MB = 110;
const LOAD_LIMIT_MB = 180;
const SAMPLE_MS = 50;

/** Memory of the server: idle, under load, and whether it grows over many runs. */
export const memory: Scenario = {
  name: 'memory',
  title: `Memory of the server process with ${FLOWS} flows`,
  async run({ quick, say }: BenchContext): Promise<Line[]> {
    using folder = flowFolder(manyHelloFlows(FLOWS));
    const idle = await idleMB(folder.path, quick ? 800 : 5000);
    const options = { nodeArgs: ['--expose-gc', '--import', settlePreload], ipc: true };
    await firstStart(folder.path, options);
    await using server = await startWeft(folder.path, options);
    await using loader = startLoader();
    const windows = quick ? 10 : 40;
    const runs = quick ? 50_000 : 1_000_000;
    const seen: Window[] = [];
    for (let i = 0; i < windows; i++) {
      seen.push(await loadWindow(server, loader, runs / windows));
      const { peakMB, heapMB } = seen.at(-1) as Window;
      if (!quick)
        say(`${((i + 1) * runs) / windows} runs: ${peakMB.toFixed(0)} MB, heap ${heapMB.toFixed(1)} MB`);
    }
    const peak = Math.max(...seen.map(({ peakMB }) => peakMB));
    return [
      {
        name: 'idle',
        figure: idle,
        unit: 'MB',
        bar: { kind: 'at most', value: IDLE_LIMIT_MB },
        note: 'resident',
      },
      {
        name: `peak with ${CONNECTIONS} connections at full speed`,
        figure: peak,
        unit: 'MB',
        bar: { kind: 'at most', value: LOAD_LIMIT_MB },
        note: `resident; median ${median(seen.map(({ loadMB }) => loadMB)).toFixed(0)} MB`,
      },
      drift(`growth of the heap over ${runs} runs`, seen, 'heapMB'),
      // V8 enlarges the young generation during the first few 100,000 runs, which a short look would take for a leak.
      withoutBar(drift(`growth of resident memory over ${runs} runs`, seen, 'loadMB'), quick),
    ];
  },
};

/** After a start, a first answer, and some quiet. */
async function idleMB(folder: string, ms: number): Promise<number> {
  await firstStart(folder, {});
  await using server = await startWeft(folder);
  await firstAnswer(server);
  return median(await sampled(server, pause(ms)));
}

/**
 * The first start strips the types from all files and compiles them, and holds 40 MB more for it, idle and under load. Node keeps what
 * comes out of it for later starts with the same options.
 */
async function firstStart(folder: string, options: LaunchOptions): Promise<void> {
  await using server = await startWeft(folder, options);
  await firstAnswer(server);
}

async function firstAnswer({ origin }: Server): Promise<void> {
  const response = await fetch(`${origin}/api/v1/awel/trigger/bench/hello-1?name=Ada`);
  await response.text();
}

interface Window {
  /** Resident under load: the median and the highest. */
  readonly loadMB: number;
  readonly peakMB: number;
  /** Heap in use after the load, garbage collected. */
  readonly heapMB: number;
}

async function loadWindow(server: Server, loader: Loader, count: number): Promise<Window> {
  const requests = [
    {
      raw: rawRequest('GET', '/api/v1/awel/trigger/bench/hello-1?name=Ada'),
      body: '"Hello, Ada, your age is 18"',
    },
  ];
  const spec: LoadSpec = { port: server.port, requests, status: 200, connections: CONNECTIONS, count };
  const load = loader.run(spec);
  const samples = await sampled(server, load);
  assertGood(await load);
  const usage = await settledMemory(server);
  return { loadMB: median(samples), peakMB: Math.max(...samples), heapMB: usage.heapUsed / 1024 ** 2 };
}

/** Resident memory, looked at until `end`. */
async function sampled(server: Server, end: Promise<unknown>): Promise<number[]> {
  const samples = [server.rssMB()];
  const timer = setInterval(() => samples.push(server.rssMB()), SAMPLE_MS);
  await end;
  clearInterval(timer);
  return samples;
}

function drift(name: string, windows: readonly Window[], part: 'heapMB' | 'loadMB'): Line {
  const values = windows.map((window) => window[part]);
  return driftLine(name, values, 5);
}

function withoutBar({ bar, ...line }: Line, drop: boolean): Line {
  return drop || bar === undefined ? line : { ...line, bar };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
