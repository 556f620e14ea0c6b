import {
  type EventAnswer,
  type WaitAsk,
  type WaitDecision,
  type WaitExpiry,
  type WaitPage,
  waitId,
} from '#shared/wait.ts';
import type { OpenWait } from '../durable/durable-runs.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { Bus } from '../../storage/database/bus.ts';
import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';
import { asked, asOf, decided, notified, over, type Question, type Redact, unasked } from './changes.ts';
import { placeOf, sqlRows, type WaitRows } from './sql-rows.ts';
import { eventSignal, infoOf, type WaitRow } from './wait-row.ts';
import { type Decided, type Waits } from './wait-store.ts';

/** How long waits are listed after their run was over, in milliseconds. */
const KEPT_MS = 30 * 86_400_000;

/** Waits for one event that end in one transaction. */
const EVENT_PAGE = 200;

interface Deps {
  readonly sql: Sql;
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>;
  readonly now: () => number;
  /** Masks secrets in texts that people see. */
  readonly redact: Redact;
  readonly project?: string;
}

/**
 * The store of waits in the rows of a database; see `Waits` for its guarantees. Nothing is written if nothing changes:
 * runs ask again in each of their passes, and most runs that end have no waits.
 */
export function createWaits({ sql, bus, now, redact, project = DEFAULT_PROJECT }: Deps): Waits {
  const rows = sqlRows(sql, project);
  /** A change waits for the disk, so that it survives a power cut too, not only a kill. */
  const change = <T>(work: (rows: WaitRows) => Promise<T>): Promise<T> =>
    sql.transaction((tx) => work(sqlRows(tx, project)), { synced: true });
  return {
    async open({ what, ...wait }) {
      if (what.kind === 'time' || !isUnasked(await rows.get(waitId(wait.run, wait.key)))) return;
      const row = await change((inside) => ask(inside, wait, { what, redact }));
      if (row?.status === 'decided') bus.publish('wait-answered', row.run);
      if (row?.notify === 'due') bus.publish('wait-untold');
    },
    async answer(run, key) {
      const id = waitId(run, key);
      const found = await rows.get(id);
      const isDue = found !== undefined && asOf(found, now()) !== found;
      const row = isDue ? await change((inside) => expire(inside, id, now())) : found;
      const value = row && answerOf(row);
      return value && { value };
    },
    async close(run) {
      const waits = await rows.ofRun(run);
      if (waits.some(({ overAt }) => overAt === undefined)) await change((inside) => end(inside, run, now()));
      await rows.sweep(now() - KEPT_MS);
    },
    async forget(run) {
      const [any] = await rows.ofRun(run);
      if (any) await rows.forget(run);
    },
    onAnswer: (fn) => void bus.subscribe('wait-answered', fn),
    onUnnotified: (fn) => void bus.subscribe('wait-untold', fn),
    async get(id) {
      const row = await rows.get(id);
      return row && infoOf(asOf(row, now()));
    },
    async list(query) {
      const time = now();
      return pageOf(await rows.list(query, time), { limit: query.limit, time });
    },
    async decide(id, given, early) {
      const row = await change((inside) => decide(inside, { id, given, early }, now()));
      bus.publish('wait-answered', row.run);
      return infoOf(row);
    },
    receive: (event, given) =>
      receiveAll(async (after) => {
        const page = await change((inside) => receive(inside, { event, given, after }, now()));
        for (const { run } of page.received) bus.publish('wait-answered', run);
        return page;
      }),
    unnotified: async () => (await rows.unnotified()).map(infoOf),
    notified: (id, problem) =>
      change(async (inside) => {
        const row = await inside.get(id);
        if (row?.notify === 'due') await inside.put(notified(row, problem));
      }),
  };
}

/** One row more than the limit says that there is another page. */
function pageOf(
  found: readonly WaitRow[],
  { limit, time }: { readonly limit: number; readonly time: number },
): WaitPage {
  const page = found.slice(0, limit);
  const more = found.length > limit;
  const last = page.at(-1);
  const waits = page.map((row) => infoOf(asOf(row, time)));
  return { waits, more, ...(more && last && { next: placeOf(last) }) };
}

/** Whether its run has not asked yet. */
function isUnasked(row: WaitRow | undefined): boolean {
  return row === undefined || row.status === 'early';
}

/** Undefined if it was asked already. */
async function ask(
  rows: WaitRows,
  wait: Omit<OpenWait, 'what'>,
  { what, redact }: { readonly what: Question; readonly redact: Redact },
): Promise<WaitRow | undefined> {
  const before = await rows.get(waitId(wait.run, wait.key));
  if (!isUnasked(before)) return undefined;
  const row = asked(wait, what, { before, redact });
  await rows.put(row);
  return row;
}

/** A run that has seen the expiry gets no decision afterwards, whatever the clock shows then. */
async function expire(rows: WaitRows, id: string, at: number): Promise<WaitRow | undefined> {
  const found = await rows.get(id);
  const row = found && asOf(found, at);
  if (row?.status === 'expired') await rows.put(row);
  return row;
}

interface Decision {
  readonly id: string;
  readonly given: Decided;
  readonly early: { readonly flow: string } | undefined;
}

async function decide(rows: WaitRows, { id, given, early }: Decision, at: number): Promise<WaitRow> {
  const found = await rows.get(id);
  const row = found ? asOf(found, at) : early && unasked(id, early.flow, at);
  if (!row) throw new ServiceError('wait_not_found', `There is no wait ${JSON.stringify(id)}.`);
  const next = decided(row, given, at);
  await rows.put(next);
  return next;
}

interface Received extends EventAnswer {
  /** The id after which the next page begins; undefined after the last one. */
  readonly next: string | undefined;
}

interface Event {
  readonly event: NonNullable<WaitAsk['event']>;
  readonly given: Decided;
  /** Waits with a higher id. */
  readonly after: string;
}

/** A page of the waits for an event, in one transaction. */
async function receive(rows: WaitRows, { event, given, after }: Event, at: number): Promise<Received> {
  const signal = eventSignal(event.name, event.key);
  const found = await rows.signalled(signal, { after, limit: EVENT_PAGE, now: at });
  const page: Received = { received: [], refused: [], next: nextAfter(found) };
  for (const row of found) {
    const { id, run, flow, node } = row;
    try {
      await rows.put(decided(row, given, at));
      page.received.push({ id, run, flow, node });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'wait_answer_invalid') throw error;
      page.refused.push({ id, message: error.message });
    }
  }
  return page;
}

async function receiveAll(pageAfter: (id: string) => Promise<Received>): Promise<EventAnswer> {
  const answer: EventAnswer = { received: [], refused: [] };
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: Received = await pageAfter(after);
    answer.received.push(...page.received);
    answer.refused.push(...page.refused);
    after = page.next;
  }
  return answer;
}

function nextAfter(found: readonly WaitRow[]): string | undefined {
  return found.length < EVENT_PAGE ? undefined : found.at(-1)?.id;
}

async function end(rows: WaitRows, run: string, at: number): Promise<void> {
  for (const row of await rows.ofRun(run)) await rows.put(over(asOf(row, at), at));
}

function answerOf({ status, until, shown: { decision } }: WaitRow): WaitDecision | WaitExpiry | undefined {
  if (status === 'decided') return decision;
  return status === 'expired' ? { at: new Date(until as number).toISOString() } : undefined;
}
