import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Flow } from '#shared/flow.ts';
import { type BenchContext, type Line, measureSlowness, type Scenario } from '../harness.ts';
import { type Session, signIn } from '../session.ts';
import { flowFolder, loopDelayPreload, type Server, startWeft } from '../servers.ts';
import { startWatchers, type Watchers, type WatchResult } from '../watchers.ts';

const MANY = 1000;
const PACE_MS = 10;
const LATE_LIMIT_MS = 20;
const FEW = 100;
const MESSAGES_PER_SECOND = 1_000_000;
/** Events between two turns of the event loop, where a run tells as fast as it can. */
const BURST = 50;

/** Watchers of a run: whether each gets every event, and how much of the server that takes. */
export const websocket: Scenario = {
  name: 'websocket',
  title: 'Watchers of a run over websockets',
  async run({ quick, say }: BenchContext): Promise<Line[]> {
    using folder = flowFolder([eventsFlow]);
    writeOperator(folder.path);
    await using server = await startWeft(folder.path, {
      env: { WEFT_OPERATORS: join(folder.path, 'operators') },
      nodeArgs: ['--import', loopDelayPreload],
      ipc: true,
    });
    await using watchers = startWatchers();
    const bench: Bench = { server, session: await signIn(server), watchers };
    // So that the compiler is done with what a watcher needs: its threads share the server's one core here.
    await watch(bench, FEW, { turns: 50, each: BURST, paceMs: 0 });
    const steady = await watch(bench, MANY, { turns: quick ? 100 : 2000, each: 1, paceMs: PACE_MS });
    say(`${MANY} watchers: ${told(steady)}`);
    const fast = await watch(bench, FEW, { turns: quick ? 200 : 1000, each: BURST, paceMs: 0 });
    say(`${FEW} watchers: ${told(fast)}`);
    return linesOf(steady, fast);
  },
};

function linesOf(steady: Watched, fast: Watched): Line[] {
  return [
    {
      name: `event loop late, ${MANY} watchers and ${1000 / PACE_MS} events/s, p99`,
      figure: steady.own.p99,
      unit: 'ms',
      bar: { kind: 'at most', value: LATE_LIMIT_MS },
      slowness: steady.slowness,
      note: `by its own work, at most ${steady.own.max.toFixed(1)} ms; with waits for its core ${steady.late.p99.toFixed(1)} ms; ${shares(steady)}`,
    },
    {
      name: `events to ${FEW} watchers, as fast as the run tells them`,
      figure: fast.messages / (fast.ms / 1000),
      unit: '/s',
      bar: { kind: 'at least', value: MESSAGES_PER_SECOND },
      slowness: fast.slowness,
      note: `${(fast.messages / fast.frames).toFixed(0)} in a frame, ${((fast.serverCpuMs / fast.messages) * 1000).toFixed(2)} µs of the server’s CPU time each; ${shares(fast)}`,
    },
    {
      name: `of these ${MANY + FEW} watchers, lost an event or got one twice`,
      figure: steady.failed + fast.failed,
      unit: '',
      bar: { kind: 'at most', value: 0 },
      note: steady.firstFailure ?? fast.firstFailure,
    },
  ];
}

// ------------------------------------------------------------------------------------------------------ the server's side

/** So many events at a turn, and a time between the turns; as fast as it can where that is 0. */
interface Pace {
  readonly turns: number;
  readonly each: number;
  readonly paceMs: number;
}

/** Its run tells events once the process of its server is told to begin; its input says how many, and how fast. */
export const eventsFlow: Flow = {
  format: 1,
  id: 'events',
  // Watchers may take long to connect on a busy machine.
  settings: { timeoutMs: 600_000 },
  nodes: { trigger: { operator: 'trigger.manual' }, source: { operator: 'bench.events' } },
  edges: [{ from: 'trigger.out', to: 'source.in' }],
};

/** Begins when the server's process is told to, so that all watchers are there. */
const source = `export default ({ defineOperator, input, output, z }) =>
  defineOperator({
    title: 'Events', doc: 'Makes events.', icon: 'box', params: z.object({}), effects: 'read', examples: [],
    inputs: { in: input() }, outputs: { out: output() },
    async run(call) {
      const { turns, each, paceMs } = call.input;
      await new Promise((resolve) => process.once('message', resolve));
      const started = performance.now();
      for (let turn = 1; turn <= turns; turn++) {
        for (let i = 0; i < each; i++) call.log('info', 'Something happened.', { turn, i });
        if (paceMs === 0) await new Promise((resolve) => setImmediate(resolve));
        else await new Promise((resolve) => setTimeout(resolve, started + turn * paceMs - performance.now()));
      }
    },
  });\n`;

export function writeOperator(folder: string): void {
  const group = join(folder, 'operators', 'bench');
  mkdirSync(group, { recursive: true });
  writeFileSync(join(group, 'events.js'), source);
}

interface Bench {
  readonly server: Server;
  readonly session: Session;
  readonly watchers: Watchers;
}

/** Milliseconds. */
interface Worst {
  readonly p99: number;
  readonly max: number;
}

interface Watched extends WatchResult {
  /** How late the server's event loop was, and how much of that its own work can have caused. */
  readonly late: Worst;
  readonly own: Worst;
  readonly serverCpuMs: number;
  /** How slow the machine was just before. */
  readonly slowness: number;
}

async function watch({ server, session, watchers }: Bench, count: number, pace: Pace): Promise<Watched> {
  const run = await session.start(eventsFlow.id, pace);
  await watchers.open({ port: server.port, run, headers: session.headers, watchers: count });
  const slowness = measureSlowness();
  const before = server.cpuMs();
  const finished = watchers.finish();
  server.child.send('begin');
  const result = await finished;
  const serverCpuMs = server.cpuMs() - before;
  server.child.send('tell');
  const [lateness] = (await once(server.child, 'message')) as [Pick<Watched, 'late' | 'own'>];
  return { ...result, ...lateness, serverCpuMs, slowness };
}

function told({ messages, frames, ms }: WatchResult): string {
  return `${messages} events in ${frames} frames in ${(ms / 1000).toFixed(1)} s`;
}

function shares({ serverCpuMs, clientCpuMs, ms }: Watched): string {
  const share = (cpuMs: number): string => `${((cpuMs / ms) * 100).toFixed(0)} %`;
  return `${share(serverCpuMs)} of the server’s core, ${share(clientCpuMs)} of the client’s`;
}
