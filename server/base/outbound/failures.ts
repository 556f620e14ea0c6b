import { WeftError } from '#engine';
import type { Deadline } from './deadline.ts';

/** The error for a failed exchange. Never contains the path or query of the address, which may contain a secret. */
export function outboundError(error: unknown, origin: string, deadline: Deadline): unknown {
  if (error instanceof WeftError) return error;
  if (deadline.reason !== undefined) return deadline.reason;
  const code = codeOf(error);
  const describe = messages[code];
  const message = describe === undefined ? `The exchange with ${origin} failed (${code}).` : describe(origin);
  return new WeftError('outbound_failed', message, { transient: !lasting.has(code) });
}

/** The first code in an error and its causes; several addresses fail as an aggregate. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error.cause;
  return inner === undefined ? error.name : codeOf(inner);
}

const messages: Readonly<Record<string, (origin: string) => string>> = {
  ECONNREFUSED: (origin) => `Nothing listens at ${origin}.`,
  ECONNRESET: (origin) => `${origin} closed the connection.`,
  UND_ERR_SOCKET: (origin) => `${origin} closed the connection.`,
  UND_ERR_CONNECT_TIMEOUT: (origin) => `${origin} could not be connected to in time.`,
  UND_ERR_HEADERS_OVERFLOW: (origin) => `${origin} sent more headers than are read.`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (origin) =>
    `The certificate of ${origin} is self-signed, so it is not trusted.`,
  SELF_SIGNED_CERT_IN_CHAIN: (origin) => `The certificate of ${origin} is self-signed, so it is not trusted.`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (origin) => `The certificate of ${origin} could not be verified.`,
  CERT_HAS_EXPIRED: (origin) => `The certificate of ${origin} has expired.`,
  ERR_TLS_CERT_ALTNAME_INVALID: (origin) => `The certificate of ${origin} is for another name.`,
};

/** Failures that a retry would repeat. */
const lasting = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);
