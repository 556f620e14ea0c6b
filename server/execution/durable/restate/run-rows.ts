import { codedStartError } from '../../../base/errors/start-error.ts';
import { DEFAULT_PROJECT, type Sql } from '../../../storage/database/sql.ts';

/** The workflow name of runs that Restate executes; those of OpenWorkflow have ids of that library. */
export const RESTATE = 'restate';

const OF_OTHERS = {
  restate: `workflow <> '${RESTATE}'`,
  openworkflow: `workflow = '${RESTATE}'`,
} as const;

/** Throws a `StartError` if unfinished runs have their records in another engine, where they would stay for ever. */
export async function checkEngine(sql: Sql, engine: keyof typeof OF_OTHERS): Promise<void> {
  const unfinished = `SELECT count(*) AS n FROM durable_run
    WHERE project = ? AND status IN ('pending', 'running', 'waiting') AND ${OF_OTHERS[engine]}`;
  const found = await sql.first<{ readonly n: number }>(unfinished, DEFAULT_PROJECT);
  const left = found?.n ?? 0;
  if (left === 0) return;
  const former = engine === 'restate' ? 'without WEFT_RESTATE_URL' : 'with WEFT_RESTATE_URL';
  throw codedStartError(
    'durable_engine_changed',
    `The database has ${left} unfinished durable runs that began ${former}: start so until they have ended.`,
  );
}
