import { z } from 'zod';
import { WeftError } from '#engine';
import type { ConnectionTables, HarmlessChanges } from '#shared/connection.ts';

/** Milliseconds that a cancelled statement may take to end, before its session is cut off. */
export const GRACE_MS = 2000;

/** The most columns that the list of tables shows. */
export const MAX_COLUMNS = 10_000;

/** The settings of a database server. */
export function serverFields(defaults: { readonly port: number; readonly user: string }) {
  return {
    host: z
      .string()
      .trim()
      .min(1)
      .max(255)
      .describe('Name or address. It may be on this machine or in a private network: saving it allows that.'),
    port: z.int().min(1).max(65_535).default(defaults.port).describe('The port that it listens on.'),
    database: z.string().min(1).max(255).describe('The name of the database.'),
    user: z.string().min(1).max(255).describe(`Whom to sign in as, such as ${defaults.user}.`),
    password: z
      .string()
      .max(4096)
      .default('')
      .describe('The password of this user; empty if the server asks for none.')
      .meta({ format: 'password' }),
    tls: z
      .enum(['verified', 'unverified', 'off'])
      .default('verified')
      .describe(
        'verified: encrypted, and the certificate of the server must be right. unverified: encrypted, with anybody. off: in clear text.',
      )
      .meta({ title: 'TLS' }),
    ca: z
      .string()
      .max(65_536)
      .optional()
      .describe('The certificate (PEM) that has signed that of the server, if no public authority has.')
      .meta({ widget: 'textarea', title: 'CA certificate' }),
    most: z.int().min(1).max(1000).default(10).describe('Sessions that are open at once, at most.'),
  };
}

/** Of those settings. */
export const harmlessToServers: HarmlessChanges = { most: 'any', tls: ['off', 'unverified', 'verified'] };

export type ServerSettings = z.output<z.ZodObject<ReturnType<typeof serverFields>>>;

/** Options of Node's `tls.connect`; undefined for clear text. */
export function tlsOptions({ host, tls, ca }: ServerSettings) {
  if (tls === 'off') return undefined;
  return { host, rejectUnauthorized: tls === 'verified', ...(ca !== undefined && ca !== '' && { ca }) };
}

export function tooManyRows(maxRows: number): WeftError {
  return new WeftError(
    'value_too_large',
    `The statement gives more than ${maxRows} rows: add a LIMIT, raise \`maxRows\`, or read them as a stream.`,
  );
}

export function tooManyBytes(maxBytes: number): WeftError {
  return new WeftError(
    'value_too_large',
    `The statement gives more than ${maxBytes} bytes: ask for fewer rows or columns, raise \`maxBytes\`, or read them as a stream.`,
  );
}

export function connectionLost(name: string): WeftError {
  return new WeftError('connection_failed', `${name} broke the connection off.`);
}

/** Codes of Node for certificates that no known authority has signed. */
const UNKNOWN_SIGNER =
  /^(?:DEPTH_ZERO_)?SELF_SIGNED|^UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)|self-signed|local issuer|first certificate/i;

/** The refusal of an encryption that failed, and what to do. */
export function notEncrypted({
  code = '',
  message,
}: {
  readonly code?: string | undefined;
  readonly message: string;
}): WeftError {
  const remedy =
    UNKNOWN_SIGNER.test(code) || UNKNOWN_SIGNER.test(message)
      ? ' No authority that is known here has signed its certificate: give the one that has as `ca` of the connection.'
      : code === 'ERR_TLS_CERT_ALTNAME_INVALID'
        ? ' Its certificate is for another host: set `host` of the connection to a name in it.'
        : '';
  return new WeftError('connection_refused', `The encryption with the database failed: ${message}.${remedy}`);
}

/** A decimal number as one of JavaScript, or as the text if that would lose digits. */
export function decimalOf(text: string): number | string {
  // Too short for more digits than a number holds, with its point and sign.
  if (text.length <= 15 && /^-?[\d.]+$/.test(text)) return Number(text);
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '');
  const value = Number(text);
  return digits.length <= 15 && Number.isFinite(value) ? value : text;
}

/** A whole number, or its text beyond 2^53. */
export function integerOf(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

/**
 * A value as a text for the database; null stays null. Objects and lists become JSON. Throws `sql_invalid` for what
 * no database takes.
 */
export function databaseText(name: string, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'object') return JSON.stringify(value);
  throw new WeftError('sql_invalid', `The value of :${name} is a ${typeof value}, which no database takes.`);
}

/** JSON Schemas of what rows hold: `integerOf` and `decimalOf` give texts for what a number would lose. */
export const WHOLE = { type: 'integer' };
export const LARGE = { type: ['integer', 'string'] };
export const DECIMAL = { type: ['number', 'string'] };
export const TEXT = { type: 'string' };

/** Whether a statement may give null for a column that a table declares as never null. */
export function mayAddNulls(sql: string): boolean {
  return /\b(?:left|right|full|union|intersect|except|rollup|cube|grouping)\b/i.test(sql);
}

/** Resolves or rejects with `work`, but rejects as soon as the signal aborts. */
export function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** A column as the catalogs of databases list it. */
export interface ListedColumn {
  readonly schema?: string | undefined;
  readonly table: string;
  readonly view: boolean;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly key: boolean;
}

/** Columns in the order of their tables, as tables; `listed` may have one more than are shown. */
export function tablesOf(
  listed: readonly ListedColumn[],
  quote: ConnectionTables['quote'] = '"',
): ConnectionTables {
  const shown = listed.slice(0, MAX_COLUMNS);
  const tables = Map.groupBy(shown, ({ schema = '', table }) => JSON.stringify([schema, table]));
  return {
    tables: [...tables.values()].map((columns) => {
      const [{ schema, table, view }] = columns as [ListedColumn];
      return {
        ...(schema !== undefined && { schema }),
        name: table,
        view,
        columns: columns.map(({ name, type, nullable, key }) => ({ name, type, nullable, key })),
      };
    }),
    more: listed.length > shown.length,
    quote,
  };
}
