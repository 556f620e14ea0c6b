import type { WaitDecision, WaitExpiry } from '#shared/wait.ts';
import type { OpenWait } from '../durable/durable-runs.ts';
import { ServiceError } from '../errors/errors.ts';
import { asked, decided, over, type Redact, told, unasked } from './changes.ts';
import { infoOf, type WaitRow, type WaitRows } from './wait-rows.ts';
import { type Decided, waitId, type Waits } from './wait-store.ts';

/** How long waits are listed after their run was over. */
const KEPT_MS = 30 * 86_400_000;

interface Deps {
  readonly rows: WaitRows;
  readonly now: () => number;
  /** Masks secrets in what people are shown. */
  readonly redact: Redact;
}

/** The store of waits over its rows; see `Waits` for its guarantees. */
export function createWaits(deps: Deps): Waits {
  const { rows, now } = deps;
  const onAnswer: ((run: string) => void)[] = [];
  const onUntold: (() => void)[] = [];
  return {
    async open(wait) {
      const row = rows.atomically(() => ask(deps, wait));
      if (row?.status === 'decided') for (const fn of onAnswer) fn(row.run);
      if (row?.notify === 'due') for (const fn of onUntold) fn();
    },
    async answer(run, key) {
      const row = rows.atomically(() => current(deps, waitId(run, key)));
      const value = row && answerOf(row);
      return value && { value };
    },
    close: async (run) => rows.atomically(() => end(deps, run)),
    forget: async (run) => rows.forget(run),
    onAnswer: (fn) => void onAnswer.push(fn),
    onUntold: (fn) => void onUntold.push(fn),
    async get(id) {
      const row = current(deps, id);
      return row && infoOf(row);
    },
    async list(query) {
      rows.expire(now());
      const found = rows.list(query);
      return { waits: found.slice(0, query.limit).map(infoOf), more: found.length > query.limit };
    },
    async decide(id, given, early) {
      const row = rows.atomically(() => decide(deps, id, { given, early }));
      for (const fn of onAnswer) fn(row.run);
      return infoOf(row);
    },
    untold: async () => rows.untold().map(infoOf),
    told: async (id, problem) =>
      rows.atomically(() => {
        const row = rows.get(id);
        if (row?.notify === 'due') rows.put(told(row, problem));
      }),
  };
}

/** Its current state: the time for a decision may have passed since anybody looked. */
function current({ rows, now }: Deps, id: string): WaitRow | undefined {
  rows.expire(now());
  return rows.get(id);
}

function answerOf({ status, until, told: { decision } }: WaitRow): WaitDecision | WaitExpiry | undefined {
  if (status === 'decided') return decision;
  return status === 'expired' ? { at: new Date(until as number).toISOString() } : undefined;
}

/** Undefined if there is nothing to do. */
function ask({ rows, redact }: Deps, { what, ...wait }: OpenWait): WaitRow | undefined {
  if (what.kind === 'time') return undefined;
  const before = rows.get(waitId(wait.run, wait.key));
  if (before && before.status !== 'early') return undefined;
  const row = asked(wait, what, { before, redact });
  rows.put(row);
  return row;
}

interface Decision {
  readonly given: Decided;
  readonly early: { readonly flow: string } | undefined;
}

function decide(deps: Deps, id: string, { given, early }: Decision): WaitRow {
  const { rows, now } = deps;
  const row = current(deps, id) ?? (early && unasked(id, early.flow, now()));
  if (!row) throw new ServiceError('wait_not_found', `There is no wait ${JSON.stringify(id)}.`);
  const next = decided(row, given, now());
  rows.put(next);
  return next;
}

function end({ rows, now }: Deps, run: string): void {
  rows.expire(now());
  for (const row of rows.ofRun(run)) rows.put(over(row, now()));
  rows.sweep(now() - KEPT_MS);
}
