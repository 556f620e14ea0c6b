import { WeftError } from '#engine';
import type { Bound } from '../../placeholders.ts';

/** Errors of the driver: from the server, the driver itself, or the socket. */
interface Thrown {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly position?: unknown;
  readonly detail?: unknown;
  readonly hint?: unknown;
  readonly constraint_name?: unknown;
  readonly table_name?: unknown;
  readonly column_name?: unknown;
  readonly severity?: unknown;
}

/** SQLSTATE classes of a refused user or database. */
const REFUSED = /^(28|3D)/;
/** SQLSTATE classes of a server that cannot answer now: connection, resources, operator intervention, system. */
const UNABLE = /^(08|53|57P|58|XX)/;
const CONFLICTS = new Set(['40001', '40P01', '55P03']);

/** The coded error for an error of the driver; `bound` is the statement that was sent, if there was one. */
export function postgresError(error: unknown, bound?: Bound & { readonly written: string }): unknown {
  if (error instanceof WeftError) return error;
  const { code, message, severity } = error as Thrown;
  const shown = typeof message === 'string' ? message : 'no message';
  if (typeof code !== 'string' || severity === undefined)
    return new WeftError('connection_failed', `The connection to the database failed: ${shown}.`);
  const kind = kindOf(code);
  const place = bound && placeIn(bound, Number((error as Thrown).position));
  const where = place === undefined ? '' : ` at line ${place.line}, column ${place.column}`;
  const hint = code === '25006' ? ' Use sql.execute for statements that change data.' : '';
  return new WeftError(kind, `The database reported: ${shown} (${code}${where}).${hint}`, {
    data: { sqlState: code, ...place, ...factsOf(error as Thrown) },
  });
}

function kindOf(code: string): string {
  if (REFUSED.test(code)) return 'connection_refused';
  if (CONFLICTS.has(code)) return 'sql_conflict';
  if (UNABLE.test(code)) return 'connection_failed';
  return code === '57014' ? 'sql_timeout' : 'sql_failed';
}

function placeIn({ written, placeOf }: Bound & { readonly written: string }, position: number) {
  if (!Number.isInteger(position) || position < 1) return undefined;
  // The server counts characters, not UTF-16 units; the two differ only after rare characters.
  const offset = placeOf(position - 1);
  const before = written.slice(0, offset).split('\n');
  return { offset, line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

function factsOf(error: Thrown): Record<string, unknown> {
  const facts = {
    detail: error.detail,
    hint: error.hint,
    constraint: error.constraint_name,
    table: error.table_name,
    column: error.column_name,
  };
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => typeof fact === 'string'));
}
