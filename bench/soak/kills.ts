import { once } from 'node:events';
import { type Line, percentile } from '../harness.ts';
import { type Server, startWeft, tempFolder } from '../servers.ts';
import { durableRuns } from './durable.ts';
import { answered } from './answered.ts';
import { fact, never, pause, type SoakContext, type SoakPart } from './part.ts';
import type { Random } from './random.ts';
import { saves } from './saves.ts';

/** Work for a server that may be killed at any moment. */
export interface KilledLoad extends AsyncDisposable {
  /** Works until the server is gone; what it refuses while it lives is a fault. */
  work(server: Server): Promise<void>;
  /** Looks at what a new server has, before any new work. */
  check(server: Server): Promise<void>;
  /** After the last kill: what was begun comes to its end. */
  settle(server: Server): Promise<void>;
  lines(): Line[];
}

export interface LoadParts {
  /** Where the server runs; flows lie in `flows`, data in `data`. */
  readonly folder: string;
  readonly random: Random;
}

const loads: readonly ((parts: LoadParts) => KilledLoad | Promise<KilledLoad>)[] = [
  saves,
  answered,
  durableRuns,
];

/** The server outside is on this machine. */
const ENV = { WEFT_OUTBOUND_ALLOW: '127.0.0.1' };
/** Milliseconds from the ready line to the kill, at most. */
const LIFE_MS = { short: 500, long: 1000 };

/** A server that is killed again and again in the middle of its work. */
export const kills: SoakPart = {
  name: 'kills',
  title: 'Kills (-9) at moments by chance, during saves and runs',
  async run({ random, short, say }: SoakContext): Promise<Line[]> {
    const count = short ? 20 : 300;
    using folder = tempFolder();
    await using stack = new AsyncDisposableStack();
    const begun: KilledLoad[] = [];
    for (const load of loads)
      begun.push(stack.use(await load({ folder: folder.path, random: random.fork(load.name) })));
    const ready: number[] = [];
    for (let kill = 0; kill < count; kill++) {
      ready.push(await oneLife(folder.path, begun, random.between(0, LIFE_MS[short ? 'short' : 'long'])));
      if (kill % 20 === 19) say(`${kill + 1} kills`);
    }
    await using server = await startWeft(folder.path, { env: ENV });
    for (const load of begun) await load.check(server);
    for (const load of begun) await load.settle(server);
    return [
      fact('kills', count),
      fact('from the start to ready, p50', percentile(ready, 50), 'ms'),
      ...begun.flatMap((load) => load.lines()),
    ];
  },
};

/** Gives how long the start took. */
async function oneLife(folder: string, begun: readonly KilledLoad[], killAfterMs: number): Promise<number> {
  const server = await startWeft(folder, { env: ENV });
  for (const load of begun) await load.check(server);
  const working = Promise.all(begun.map((load) => load.work(server)));
  await pause(killAfterMs);
  const ended = once(server.child, 'exit');
  server.child.kill('SIGKILL');
  await ended;
  await working;
  return server.readyMs;
}

/** Calls `step` until the server is gone. */
export async function untilGone({ child }: Server, step: () => Promise<void>): Promise<void> {
  const isGone = () => child.killed || child.exitCode !== null || child.signalCode !== null;
  while (!isGone()) {
    try {
      await step();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      // No answer: the kill came first, and the process may still be on its way out.
      await pause(1);
    }
  }
}

/** Faults of one kind, and how often there was something to look at. */
export function faultList(name: string): { add(fault: string): void; line(): Line } {
  const faults: string[] = [];
  return { add: (fault) => void faults.push(fault), line: () => never(name, faults) };
}
