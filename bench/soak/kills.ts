import { once } from 'node:events';
import { type Line, percentile } from '../harness.ts';
import { startWeft, tempFolder } from '../servers.ts';
import { answered } from './answered.ts';
import { durableRuns } from './durable.ts';
import { firstAnswer, type KilledLoad, lifeOf, type LoadSetup } from './killed-load.ts';
import { fact, pause, type SoakContext, type SoakPart } from './part.ts';
import type { Random } from './random.ts';
import { saves } from './saves.ts';

const loads: readonly ((setup: LoadSetup) => KilledLoad | Promise<KilledLoad>)[] = [
  saves,
  answered,
  durableRuns,
];

/** The server outside is on this machine. */
const LAUNCH = { env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1' }, anyCore: true };
/** Milliseconds from the first answers to the kill, at most. */
const LIFE_MS = 500;
/** How long is waited for them. */
const PATIENCE_MS = 5000;
/** Share of the lives that end sooner, while the server gets going. */
const EARLY = 0.25;

/** A server that is killed again and again in the middle of its work. */
export const kills: SoakPart = {
  name: 'kills',
  title: 'Kills (-9) at moments by chance, during saves and runs',
  async run({ random, short, say }: SoakContext): Promise<Line[]> {
    const count = short ? 6 : 300;
    using folder = tempFolder();
    await using stack = new AsyncDisposableStack();
    const begun: KilledLoad[] = [];
    for (const load of loads)
      begun.push(stack.use(await load({ folder: folder.path, random: random.fork(load.name) })));
    const ready: number[] = [];
    for (let kill = 0; kill < count; kill++) {
      ready.push(await oneLife(folder.path, begun, random));
      if (kill % 20 === 19) say(`${kill + 1} kills`);
    }
    await using server = await startWeft(folder.path, LAUNCH);
    const life = await lifeOf(server);
    for (const load of begun) await load.check(life);
    for (const load of begun) await load.settle(life);
    return [
      fact('kills', count),
      fact('from the start to ready, p50', percentile(ready, 50), 'ms'),
      ...begun.flatMap((load) => load.lines()),
    ];
  },
};

/** Gives how long the start took. */
async function oneLife(folder: string, begun: readonly KilledLoad[], random: Random): Promise<number> {
  const isEarly = random.next() < EARLY;
  const lifeMs = random.between(0, LIFE_MS);
  const server = await startWeft(folder, LAUNCH);
  const life = await lifeOf(server);
  for (const load of begun) await load.check(life);
  const lives = begun.map(() => ({ ...life, ...firstAnswer() }));
  const working = Promise.all(begun.map((load, i) => load.work(lives[i] ?? life)));
  const allAnswered = Promise.all(lives.map(({ answered: one }) => one));
  if (!isEarly) await Promise.race([allAnswered, pause(PATIENCE_MS)]);
  await pause(lifeMs);
  const ended = once(server.child, 'exit');
  server.child.kill('SIGKILL');
  await ended;
  await working;
  return server.readyMs;
}
