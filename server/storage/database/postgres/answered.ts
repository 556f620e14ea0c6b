import { WeftError } from '#engine';

/** SQLSTATE: a transaction could not be serialised, or two wait for each other. */
export const CONFLICTS: ReadonlySet<unknown> = new Set(['40001', '40P01']);
/**
 * SQLSTATEs that say that the server cannot store now: connection, resources, operator intervention, system; the rights of the
 * user, and a database that has become read-only.
 */
const REFUSALS = /^(08|53|57|58|28|25006)/;
/** SQLSTATE of a write to a read-only server. */
const READ_ONLY = '25006';
/** How long an answer may take, in milliseconds. */
export const ANSWER_MS = 15_000;

/** The connection may have died silently. */
export class NoAnswer extends WeftError {}

/** The server, or all of its transactions, are read-only. */
export class ReadOnly extends WeftError {}

/** The server's answer, if it comes in time; rejects with `storage_failed` if the server cannot be used now. */
export async function answered<T>(work: () => Promise<T>, answerMs = ANSWER_MS): Promise<T> {
  try {
    return await inTime(work(), answerMs);
  } catch (error) {
    const { code = '', message } = error as { readonly code?: string; readonly message: string };
    if (!isRefusal(code)) throw error;
    throw databaseFailed(message || code, code === READ_ONLY ? ReadOnly : WeftError);
  }
}

/** Codes of connections that cannot be encrypted, or of certificates that are not trusted. */
const TLS = /^(ERR_SSL_|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_|EPROTO)/;

/** Whether a code says that the connection could not be encrypted or trusted. */
export function isTlsRefusal(code: string): boolean {
  return TLS.test(code);
}

/** Whether a code of the server or of the connection says that the database cannot be used now. */
export function isRefusal(code: string): boolean {
  return (
    REFUSALS.test(code) ||
    CONFLICTS.has(code) ||
    isTlsRefusal(code) ||
    /^(CONN|ECONN|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE)/.test(code)
  );
}

/** `reason` is the server's or the system's message. */
export function databaseFailed(reason: string, Kind = WeftError): WeftError {
  return new Kind('storage_failed', `The database could not be used (${reason}); repair it, then repeat.`);
}

/**
 * A connection that died silently never answers; the request may have been executed.
 * @throws NoAnswer
 */
export function inTime<T>(work: Promise<T>, ms = ANSWER_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(databaseFailed(`it has not answered for ${ms / 1000} seconds`, NoAnswer)),
      ms,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
