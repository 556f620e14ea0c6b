import { join } from 'node:path';
import type { RunPage } from '#shared/api.ts';
import { call } from '../../tests/support/client.ts';
import { metric } from '../../tests/support/metrics.ts';
import { helloFlow, writeFlows } from '../flows.ts';
import type { DiskLoad, DiskLoadDeps } from './disk-load.ts';
import { faultList, type Life } from './killed-load.ts';
import { fact, pause } from './part.ts';

/** Until the history has what was answered, in milliseconds. */
const KEPT_MS = 1500;
const PAGE = 500;

/** Runs in memory, of which the history keeps everything: what the disk does not take is counted, and none is told of that was not. */
export function diskRecords({ folder, ledger }: DiskLoadDeps): DiskLoad {
  writeFlows(join(folder, 'flows'), [helloFlow('answered', '/answered', { settings: { record: 'full' } })]);
  const uncounted = faultList('runs that are neither in the history nor counted as dropped');
  const invented = faultList('lives of a server with more runs in the history than calls');
  const unreadable = faultList('records of runs in the history that cannot be read');
  const life = { pid: 0, began: 0, calls: 0 };
  let missing = 0;

  async function ask(current: Life): Promise<void> {
    const { status, text } = await call(current, '/answered?name=Ada');
    life.calls++;
    if (status !== 200) ledger.isLost(`a flow that was answered from memory: ${status} ${text}`);
  }

  /** Reading takes no room either. */
  async function read({ owner }: Life): Promise<void> {
    const during = ledger.stage;
    const answer = await owner.api('GET', '/runs?flow=answered&limit=5');
    if (!ledger.isTaken(answer, 'history', during)) return;
    const { runs } = (answer.body as { data: RunPage }).data;
    const [newest] = runs.filter(({ recorded }) => recorded);
    if (newest === undefined) return;
    const record = await owner.api('GET', `/runs/${newest.run}/events`);
    if (record.status !== 200 && ledger.stage === during && during.isFree)
      unreadable.add(`${newest.run}: ${record.status} ${record.text}`);
  }

  function begins(current: Life): void {
    const { pid = 0 } = current.server.child;
    if (pid !== life.pid) Object.assign(life, { pid, began: Date.now(), calls: 0 });
  }

  return {
    steps(current) {
      begins(current);
      return [() => ask(current), () => read(current)];
    },
    async check(current) {
      if (current.server.child.pid !== life.pid) return;
      await pause(KEPT_MS);
      const listed = await count(current, life.began);
      const dropped = await metric(current, 'weft_runs_dropped_total');
      const gone = life.calls - listed;
      missing += Math.max(0, gone);
      if (gone > dropped) uncounted.add(`${life.calls} calls, ${listed} listed, ${dropped} dropped`);
      if (gone < 0) invented.add(`${life.calls} calls, ${listed} listed`);
    },
    settle: async () => {},
    lines: () => [
      fact('runs in memory missing in the history', missing),
      uncounted.line(),
      invented.line(),
      unreadable.line(),
    ],
    [Symbol.asyncDispose]: async () => {},
  };
}

async function count({ owner }: Life, since: number): Promise<number> {
  let found = 0;
  let before = '';
  do {
    const query = `/runs?flow=answered&limit=${PAGE}&since=${since}${before}`;
    const { runs, next } = await owner.data<RunPage>('GET', query);
    found += runs.length;
    before = next === undefined ? '' : `&before=${next}`;
  } while (before !== '');
  return found;
}
