import { ABOUT as NOTICE } from '../../execution/after-runs/delivery-store.ts';
import { readRecord, writeRecord } from '../../execution/durable/step-record.ts';
import { SCHEMA } from '../../execution/durable/postgres/workflows.ts';
import { RESTATE } from '../../execution/durable/restate/run-rows.ts';
import { resealValue, SEALED_MARK } from '../../execution/durable/values.ts';
import { codedStartError } from '../../base/errors/start-error.ts';
import { ABOUT as ANSWER } from '../../storage/idempotency/sql-idempotency.ts';
import type { Resealer } from '../../base/secrets/seal.ts';
import type { SecretStorage } from '../../base/secrets/secret-storage.ts';
import { DEFAULT_PROJECT, type Sql, type SqlValue } from '../../storage/database/sql.ts';

/** Counts of values sealed with former keys, by kind. */
export interface Forgotten {
  /** Former keys that are forgotten, or would be. */
  readonly keys: number;
  /** Answers to idempotency keys, notices and texts of durable runs that were sealed again. */
  readonly answers: number;
  readonly notices: number;
  readonly durable: number;
  /** Rows that no key opens: they were lost before. */
  readonly lost: number;
}

interface Deps {
  readonly sql: Sql;
  readonly secretStorage: Pick<SecretStorage, 'keys' | 'forget'>;
  readonly sealer: Resealer;
  readonly project?: string;
}

/** Rows read at once: a text may have ten million characters. */
const PAGE = 50;
const ANSWERS = `SELECT trigger, caller, key, body FROM idempotency WHERE project = ? AND (trigger, caller, key) > (?, ?, ?)
  AND state = 'answered' AND headers IS NULL ORDER BY trigger, caller, key LIMIT ${PAGE}`;
const SET_ANSWER =
  'UPDATE idempotency SET body = ? WHERE project = ? AND trigger = ? AND caller = ? AND key = ? AND body = ?';
const NOTICES = `SELECT run, body FROM deliveries WHERE project = ? AND run > ? AND body IS NOT NULL ORDER BY run LIMIT ${PAGE}`;
const SET_NOTICE = 'UPDATE deliveries SET body = ? WHERE project = ? AND run = ? AND body = ?';
const holding = (column: string): string =>
  `CASE WHEN position('sealed' IN ${column}) > 0 THEN ${column} END AS ${column}`;
const RUNS = `SELECT run, ${holding('input')}, ${holding('given')}, ${holding('result')} FROM durable_run
  WHERE project = ? AND run > ? ORDER BY run LIMIT ${PAGE}`;
const setRun = (column: string): string =>
  `UPDATE durable_run SET ${column} = ? WHERE project = ? AND run = ? AND ${column} = ?`;
const STEPS = `SELECT id, CASE WHEN position('sealed' IN output::text) > 0 THEN output::text END AS output
  FROM ${SCHEMA}.step_attempts WHERE namespace_id = 'default' AND id > ? ORDER BY id LIMIT ${PAGE}`;
const SET_STEP = `UPDATE ${SCHEMA}.step_attempts SET output = CAST(CAST(? AS TEXT) AS JSONB)
  WHERE namespace_id = 'default' AND id = ?`;
const AT_RESTATE = `SELECT count(*) AS n FROM durable_run
  WHERE project = ? AND workflow = '${RESTATE}' AND status IN ('pending', 'running', 'waiting')`;

/**
 * Forgets the former secrets keys. Remaining data sealed with them are sealed again first; with `dryRun`
 * they are only counted. All servers must seal with the current key. Rejects with `storage_failed`.
 */
export async function forgetKeys(deps: Deps, { dryRun }: { readonly dryRun: boolean }): Promise<Forgotten> {
  const keys = deps.secretStorage.keys().length - 1;
  const none = { keys, answers: 0, notices: 0, durable: 0, lost: 0 };
  if (keys === 0) return none;
  await refuseAtRestate(deps);
  let sum: Forgotten = none;
  // A server may write values from its memory meanwhile: repeat until nothing is found.
  for (;;) {
    const found = await resealAll(deps, dryRun);
    sum = {
      keys,
      answers: sum.answers + found.answers,
      notices: sum.notices + found.notices,
      durable: sum.durable + found.durable,
      lost: found.lost,
    };
    if (dryRun) return sum;
    if (found.answers + found.notices + found.durable === 0) break;
  }
  await deps.secretStorage.forget?.();
  return sum;
}

async function refuseAtRestate({ sql, project = DEFAULT_PROJECT }: Deps): Promise<void> {
  const { n = 0 } = (await sql.first<{ readonly n: number }>(AT_RESTATE, project)) ?? {};
  if (n === 0) return;
  throw codedStartError(
    'secrets_still_sealed',
    `Restate keeps the steps of ${n} unfinished durable runs, which may be sealed with a former key and cannot be sealed again there: repeat this when they have ended.`,
  );
}

async function resealAll(deps: Deps, dryRun: boolean): Promise<Omit<Forgotten, 'keys'>> {
  let lost = 0;
  /** The text sealed again; undefined if it need not be, or cannot. */
  const resealed = (text: string, reseal: (text: string) => string | undefined): string | undefined => {
    try {
      const made = reseal(text);
      return made === text ? undefined : made;
    } catch {
      lost++;
      return undefined;
    }
  };
  const set = async (...statement: readonly [string, ...SqlValue[]]): Promise<number> =>
    dryRun ? 1 : deps.sql.run(...statement);
  const parts = { ...deps, project: deps.project ?? DEFAULT_PROJECT, resealed, set };
  const answers = await resealAnswers(parts);
  const notices = await resealNotices(parts);
  const durable = (await resealRuns(parts)) + (await resealSteps(parts));
  return { answers, notices, durable, lost };
}

interface Parts extends Deps {
  readonly project: string;
  readonly resealed: (text: string, reseal: (text: string) => string | undefined) => string | undefined;
  readonly set: (...statement: readonly [string, ...SqlValue[]]) => Promise<number>;
}

interface AnswerRow {
  readonly trigger: string;
  readonly caller: string;
  readonly key: string;
  readonly body: Uint8Array;
}

async function resealAnswers({ sql, project, sealer, resealed, set }: Parts): Promise<number> {
  let count = 0;
  let after: readonly [string, string, string] = ['', '', ''];
  for (;;) {
    const rows = await sql.all<AnswerRow>(ANSWERS, project, ...after);
    for (const { trigger, caller, key, body } of rows) {
      after = [trigger, caller, key];
      const made = resealed(Buffer.from(body).toString(), (text) => sealer.reseal(text, ANSWER));
      if (made !== undefined) count += await set(SET_ANSWER, Buffer.from(made), project, ...after, body);
    }
    if (rows.length < PAGE) return count;
  }
}

async function resealNotices({ sql, project, sealer, resealed, set }: Parts): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const rows = await sql.all<{ readonly run: string; readonly body: string }>(NOTICES, project, after);
    for (const { run, body } of rows) {
      after = run;
      // Notices of 0.1.0 are in clear text.
      const made = resealed(body, (text) =>
        'iv' in (JSON.parse(text) as object) ? sealer.reseal(text, NOTICE) : undefined,
      );
      if (made !== undefined) count += await set(SET_NOTICE, made, project, run, body);
    }
    if (rows.length < PAGE) return count;
  }
}

interface RunRow {
  readonly run: string;
  readonly input: string | null;
  readonly given: string | null;
  readonly result: string | null;
}

async function resealRuns(parts: Parts): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const rows = await parts.sql.all<RunRow>(RUNS, parts.project, after);
    for (const row of rows) {
      after = row.run;
      count += await resealRun(parts, row);
    }
    if (rows.length < PAGE) return count;
  }
}

async function resealRun(
  { project, sealer, resealed, set }: Parts,
  { run, ...columns }: RunRow,
): Promise<number> {
  const value = (text: string): string => resealValue(text, sealer);
  const list = (text: string): string => {
    const steps = JSON.parse(text) as { readonly key: string; readonly result: string }[];
    return JSON.stringify(steps.map(({ key, result }) => ({ key, result: resealRecord(result, sealer) })));
  };
  let count = 0;
  for (const [name, text] of Object.entries(columns)) {
    const made = text === null ? undefined : resealed(text, name === 'given' ? list : value);
    if (made !== undefined) count += await set(setRun(name), made, project, run, text);
  }
  return count;
}

/** A recorded result never changes, so no server writes it at the same time. */
async function resealSteps({ sql, sealer, resealed, set }: Parts): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const rows = await sql.all<{ readonly id: string; readonly output: string | null }>(STEPS, after);
    for (const { id, output } of rows) {
      after = id;
      if (output === null) continue;
      const kept = JSON.parse(output) as { readonly result: string };
      const made = resealed(kept.result, (text) => resealRecord(text, sealer));
      if (made !== undefined) count += await set(SET_STEP, JSON.stringify({ ...kept, result: made }), id);
    }
    if (rows.length < PAGE) return count;
  }
}

function resealRecord(record: string, sealer: Deps['sealer']): string {
  const { order, text } = readRecord(record);
  return text.includes(SEALED_MARK) ? writeRecord({ order, text: resealValue(text, sealer) }) : record;
}
