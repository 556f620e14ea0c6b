import { WaitAsk, type WaitDecision } from '#shared/wait.ts';
import { WeftError } from '#engine';
import { ServiceError } from '../errors.ts';
import { toJson } from '../triggers/serialise.ts';
import { checkAsk, fitting } from './judge.ts';
import { infoOf, type WaitRow, type WaitRows } from './wait-rows.ts';
import type { OpenWait } from '../durable/durable-runs.ts';
import { type Decided, partsOf, waitId, type Waits } from './wait-store.ts';

/** Largest question, in characters of JSON. */
const MAX_ASK = 256 * 1024;
/** For how long waits are told after their run was over. */
const KEPT_MS = 30 * 86_400_000;

interface Parts {
  readonly rows: WaitRows;
  readonly now: () => number;
  /** Masks secrets in what people are shown. */
  readonly redact: (value: unknown) => unknown;
}

/** The store of waits over its rows; see `Waits` for what it promises. */
export function createWaits({ rows, now, redact }: Parts): Waits {
  const onAnswer: ((run: string) => void)[] = [];
  const onUntold: (() => void)[] = [];

  /** As it stands now: the time for a decision may have passed since anybody looked. */
  function current(id: string): WaitRow | undefined {
    rows.expire(now());
    return rows.get(id);
  }

  function change(row: WaitRow): WaitRow {
    rows.put(row);
    return row;
  }

  /** The new row; undefined where there is nothing to do. */
  function opened({ run, key, node, flow, what, at }: OpenWait): WaitRow | undefined {
    if (what.kind === 'time') return undefined;
    const id = waitId(run, key);
    const before = rows.get(id);
    if (before && before.status !== 'early') return undefined;
    const asked = readAsk(what, redact);
    const base = { id, run, flow, node, openedAt: at, until: what.until, overAt: undefined };
    const decision = before && takenEarly(asked.ask, before);
    return change({
      ...base,
      status: decision ? 'decided' : 'open',
      notify: asked.ask.notify === undefined || decision ? undefined : 'due',
      told: { ...asked, ...(decision && { decision }) },
    });
  }

  function decided(id: string, given: Decided, early: { readonly flow: string } | undefined): WaitRow {
    const row = current(id) ?? (early && unasked(id, early.flow, now()));
    if (!row) throw new ServiceError('wait_not_found', `There is no wait ${id}.`);
    refuseClosed(row);
    const isAsked = row.status === 'open';
    const fit = isAsked ? fitting(row.told.ask, given) : given;
    const decision: WaitDecision = { ...fit, at: new Date(now()).toISOString() };
    return change({ ...row, status: isAsked ? 'decided' : 'early', told: { ...row.told, decision } });
  }

  return {
    open: async (wait) => {
      const row = rows.atomically(() => opened(wait));
      if (row?.status === 'decided') for (const fn of onAnswer) fn(row.run);
      if (row?.notify === 'due') for (const fn of onUntold) fn();
    },
    answer: async (run, key) => {
      const row = rows.atomically(() => current(waitId(run, key)));
      return row?.status === 'decided' ? { value: row.told.decision as WaitDecision } : undefined;
    },
    close: async (run) =>
      rows.atomically(() => {
        rows.expire(now());
        for (const row of rows.ofRun(run)) change(over(row, now()));
        rows.sweep(now() - KEPT_MS);
      }),
    onAnswer: (fn) => void onAnswer.push(fn),
    onUntold: (fn) => void onUntold.push(fn),
    get: async (id) => {
      const row = current(id);
      return row && infoOf(row);
    },
    list: async (query) => {
      rows.expire(now());
      const found = rows.list(query);
      return { waits: found.slice(0, query.limit).map(infoOf), more: found.length > query.limit };
    },
    decide: async (id, given, early) => {
      const row = rows.atomically(() => decided(id, given, early));
      for (const fn of onAnswer) fn(row.run);
      return infoOf(row);
    },
    untold: async () => rows.untold().map(infoOf),
    told: async (id, problem) =>
      rows.atomically(() => {
        const row = rows.get(id);
        if (row?.notify !== 'due') return;
        const told = problem === undefined ? row.told : { ...row.told, problem };
        change({ ...row, notify: problem === undefined ? 'sent' : 'failed', told });
      }),
  };
}

/** What the operator asks, with secrets masked in all that people see. */
function readAsk(
  { title, ask }: { readonly title: string; readonly ask: unknown },
  redact: Parts['redact'],
): Pick<WaitRow['told'], 'title' | 'ask'> {
  const json = toJson({ title, ask });
  if (json.length > MAX_ASK) {
    throw new WeftError(
      'value_too_large',
      `The question has ${json.length} characters of JSON, of at most ${MAX_ASK}; show less \`data\`.`,
      { field: 'params.data' },
    );
  }
  const { notify, ...shown } = WaitAsk.parse((JSON.parse(json) as { ask: unknown }).ask);
  checkAsk(shown);
  const masked = redact({ title, ask: shown }) as { title: string; ask: WaitAsk };
  return { ...masked, ask: { ...masked.ask, ...(notify !== undefined && { notify }) } };
}

/** A row for a decision whose question has not come yet. */
function unasked(id: string, flow: string, at: number): WaitRow {
  const { run, node } = partsOf(id) as { run: string; node: string };
  const told = { title: '', ask: { kind: 'approval' as const } };
  const none = { until: undefined, notify: undefined, overAt: undefined };
  return { id, run, flow, node, status: 'early', openedAt: at, ...none, told };
}

/** The early decision, where it fits what is asked now. */
function takenEarly(ask: WaitAsk, { told: { decision } }: WaitRow): WaitDecision | undefined {
  if (!decision) return undefined;
  try {
    return { ...fitting(ask, decision), at: decision.at };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'wait_answer_invalid') return undefined;
    throw error;
  }
}

function refuseClosed({ status, until, told: { decision } }: WaitRow): void {
  if (decision) {
    const { decision: what, by, at } = decision;
    throw new ServiceError('wait_decided', `${by} decided it at ${at}: ${what}.`);
  }
  if (status === 'expired') {
    throw new ServiceError('wait_expired', `The time to decide ended at ${new Date(until ?? 0).toISOString()}.`);
  }
  if (status === 'void') throw new ServiceError('wait_void');
}

function over(row: WaitRow, at: number): WaitRow {
  const isOpen = row.status === 'open' || row.status === 'early';
  return { ...row, overAt: row.overAt ?? at, ...(isOpen && { status: 'void', notify: undefined }) };
}
