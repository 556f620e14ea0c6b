import { once } from 'node:events';
import { join } from 'node:path';
import type { RunPage } from '#shared/api.ts';
import { call } from '../../tests/support/client.ts';
import { helloFlow, writeFlows } from '../flows.ts';
import { faultList, type KilledLoad, type Life, type LoadSetup, untilGone } from './killed-load.ts';
import { fact, pause } from './part.ts';

const PACE_MS = 10;
/**
 * Runs end up on disk in batches of 100 ms; the first one also waits for the thread that writes. Milliseconds, or what the
 * start of the server took where that is more: then the machine is as busy when the thread starts.
 */
const MAY_BE_LOST_MS = 1000;

/** Runs in memory: what was answered well before a kill is in the history. */
export function answered({ folder }: LoadSetup): KilledLoad {
  writeFlows(join(folder, 'flows'), [helloFlow('answered', '/answered', { settings: { record: 'full' } })]);
  const refused = faultList('calls that were refused');
  const lost = faultList(
    `runs missing in the history that had ended ${MAY_BE_LOST_MS} ms, or as long as a start takes, before the kill`,
  );
  let life = { begunAt: 0, times: [] as number[], killedAt: 0, mayBeLostMs: 0 };
  let calls = 0;
  let missing = 0;
  let oldestMs = 0;

  async function look({ owner }: Life): Promise<void> {
    const { begunAt, times, killedAt, mayBeLostMs } = life;
    if (times.length === 0) return;
    const query = `/runs?flow=answered&limit=200&since=${begunAt}`;
    const { runs } = await owner.data<RunPage>('GET', query);
    missing += Math.max(0, times.length - runs.length);
    const first = times[runs.length];
    if (first === undefined) return;
    oldestMs = Math.max(oldestMs, killedAt - first);
    if (killedAt - first > mayBeLostMs) lost.add(`${runs.length} of ${times.length} kept`);
  }

  return {
    async work(current) {
      const times: number[] = [];
      const mayBeLostMs = Math.max(MAY_BE_LOST_MS, current.server.readyMs);
      life = { begunAt: Date.now(), times, killedAt: 0, mayBeLostMs };
      void once(current.server.child, 'exit').then(() => (life.killedAt = Date.now()));
      await untilGone(current, async () => {
        const { status, text } = await call(current, '/answered?name=Ada');
        if (status === 200) times.push(Date.now());
        else refused.add(`${status} ${text}`);
        calls++;
        await pause(PACE_MS);
      });
    },
    check: look,
    settle: async () => {},
    lines: () => [
      fact('runs in memory that were answered', calls),
      fact('of those, missing in the history after a kill', missing),
      fact('the oldest of them, before the kill', oldestMs, 'ms'),
      lost.line(),
      refused.line(),
    ],
    [Symbol.asyncDispose]: async () => {},
  };
}
