import { WeftError } from '#engine';
import { notEncrypted, offersNoTls } from '../../servers.ts';

/** Errors of the driver: from the server, the driver itself, or the socket. */
interface Thrown {
  readonly code?: unknown;
  readonly errno?: unknown;
  readonly sqlState?: unknown;
  readonly sqlMessage?: unknown;
  readonly message?: unknown;
}

/** Numbers of errors about the user, password, database or host. */
const REFUSED = new Set([1044, 1045, 1049, 1130, 1251, 1698]);
/** Numbers of errors about too many connections, shutdown, lack of resources, or a read-only server. */
const UNABLE = new Set([1040, 1053, 1037, 1041, 1203, 1226, 3032]);
const CONFLICTS = new Set([1205, 1213, 1020, 3572]);
const STOPPED = new Set([1317, 1969, 3024]);
const NO_JSON = ' A text for a column of JSON must be JSON itself: {{ json(input.value) }}.';
const HINTS: Readonly<Record<number, string>> = {
  1792: ' Use sql.execute for statements that change data.',
  3140: NO_JSON,
  // The constraint of MariaDB for columns of JSON.
  4025: NO_JSON,
};

/** The coded error for an error of the driver. */
export function mysqlError(error: unknown): unknown {
  if (error instanceof WeftError) return error;
  const { code, errno, sqlState, sqlMessage, message } = error as Thrown;
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') return offersNoTls();
  if (code === 'HANDSHAKE_SSL_ERROR' && typeof message === 'string') return notEncrypted({ message });
  if (typeof errno !== 'number' || errno < 1000 || typeof sqlMessage !== 'string') {
    const shown = typeof message === 'string' && message !== '' ? message : String(code);
    return new WeftError('connection_failed', `The connection to the database failed: ${shown}.`);
  }
  const hint = HINTS[errno] ?? '';
  return new WeftError(kindOf(errno), `The database reported: ${sqlMessage} (${errno}).${hint}`, {
    data: { errno, ...(typeof sqlState === 'string' && { sqlState }), ...lineIn(errno, sqlMessage) },
  });
}

const SYNTAX = 1064;

/** The line in the statement; only syntax errors name it, at their end. Placeholders span as many lines as their names. */
function lineIn(errno: number, message: string): { line: number } | undefined {
  const line = errno === SYNTAX ? /at line (\d+)$/.exec(message)?.[1] : undefined;
  return line === undefined ? undefined : { line: Number(line) };
}

function kindOf(errno: number): string {
  if (REFUSED.has(errno)) return 'connection_refused';
  if (UNABLE.has(errno)) return 'connection_failed';
  if (CONFLICTS.has(errno)) return 'sql_conflict';
  return STOPPED.has(errno) ? 'sql_timeout' : 'sql_failed';
}
