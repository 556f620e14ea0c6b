import type { WaitDecision, WaitExpiry } from '#shared/wait.ts';
import type { OpenWait } from '../durable/durable-runs.ts';
import { ServiceError } from '../errors/errors.ts';
import { DEFAULT_PROJECT, type Sql } from '../storage/sql.ts';
import { asked, asOf, decided, over, type Redact, told, unasked } from './changes.ts';
import { sqlRows, type WaitRows } from './sql-rows.ts';
import { infoOf, type WaitRow } from './wait-row.ts';
import { type Decided, waitId, type Waits } from './wait-store.ts';

/** How long waits are listed after their run was over. */
const KEPT_MS = 30 * 86_400_000;

interface Deps {
  readonly sql: Sql;
  readonly now: () => number;
  /** Masks secrets in what people are shown. */
  readonly redact: Redact;
  readonly project?: string;
}

/**
 * The store of waits in the rows of a database; see `Waits` for its guarantees. Nothing is written where nothing
 * changes: runs ask again in each of their passes, and most runs that end have no waits.
 */
export function createWaits({ sql, now, redact, project = DEFAULT_PROJECT }: Deps): Waits {
  const stored = sqlRows(sql, project);
  const onAnswer: ((run: string) => void)[] = [];
  const onUntold: (() => void)[] = [];

  /** A change is worth the time that it takes to reach the disk: it survives a power cut too, not only a kill. */
  function change<T>(work: (rows: WaitRows) => Promise<T>): Promise<T> {
    return sql.transaction((tx) => work(sqlRows(tx, project)), { synced: true });
  }

  /** Its current state: the time for a decision may have passed since anybody looked. */
  async function current(rows: WaitRows, id: string): Promise<WaitRow | undefined> {
    const row = await rows.get(id);
    return row && asOf(row, now());
  }

  /** Undefined if there is nothing to do. */
  async function ask(rows: WaitRows, { what, ...wait }: OpenWait): Promise<WaitRow | undefined> {
    if (what.kind === 'time') return undefined;
    const before = await rows.get(waitId(wait.run, wait.key));
    if (before && before.status !== 'early') return undefined;
    const row = asked(wait, what, { before, redact });
    await rows.put(row);
    return row;
  }

  async function decide(rows: WaitRows, id: string, { given, early }: Decision): Promise<WaitRow> {
    const row = (await current(rows, id)) ?? (early && unasked(id, early.flow, now()));
    if (!row) throw new ServiceError('wait_not_found', `There is no wait ${JSON.stringify(id)}.`);
    const next = decided(row, given, now());
    await rows.put(next);
    return next;
  }

  /** A run that has seen the end of the time gets no decision afterwards, whatever the clock says then. */
  async function expire(rows: WaitRows, id: string): Promise<WaitRow | undefined> {
    const row = await current(rows, id);
    if (row?.status === 'expired') await rows.put(row);
    return row;
  }

  async function end(rows: WaitRows, run: string): Promise<void> {
    for (const row of await rows.ofRun(run)) await rows.put(over(asOf(row, now()), now()));
  }

  return {
    async open(wait) {
      const before = await stored.get(waitId(wait.run, wait.key));
      if (before && before.status !== 'early') return;
      const row = await change((rows) => ask(rows, wait));
      if (row?.status === 'decided') for (const fn of onAnswer) fn(row.run);
      if (row?.notify === 'due') for (const fn of onUntold) fn();
    },
    async answer(run, key) {
      const id = waitId(run, key);
      const found = await stored.get(id);
      const isDue = found?.status === 'open' && asOf(found, now()) !== found;
      const row = isDue ? await change((rows) => expire(rows, id)) : found;
      const value = row && answerOf(row);
      return value && { value };
    },
    async close(run) {
      const waits = await stored.ofRun(run);
      if (waits.some(({ overAt }) => overAt === undefined)) await change((rows) => end(rows, run));
      await stored.sweep(now() - KEPT_MS);
    },
    async forget(run) {
      const [any] = await stored.ofRun(run);
      if (any) await stored.forget(run);
    },
    onAnswer: (fn) => void onAnswer.push(fn),
    onUntold: (fn) => void onUntold.push(fn),
    async get(id) {
      const row = await current(stored, id);
      return row && infoOf(row);
    },
    async list(query) {
      const time = now();
      const found = await stored.list(query, time);
      const waits = found.slice(0, query.limit).map((row) => infoOf(asOf(row, time)));
      return { waits, more: found.length > query.limit };
    },
    async decide(id, given, early) {
      const row = await change((rows) => decide(rows, id, { given, early }));
      for (const fn of onAnswer) fn(row.run);
      return infoOf(row);
    },
    untold: async () => (await stored.untold()).map(infoOf),
    told: (id, problem) =>
      change(async (rows) => {
        const row = await rows.get(id);
        if (row?.notify === 'due') await rows.put(told(row, problem));
      }),
  };
}

interface Decision {
  readonly given: Decided;
  readonly early: { readonly flow: string } | undefined;
}

function answerOf({ status, until, told: { decision } }: WaitRow): WaitDecision | WaitExpiry | undefined {
  if (status === 'decided') return decision;
  return status === 'expired' ? { at: new Date(until as number).toISOString() } : undefined;
}
