import { WeftError } from '#engine';
import type { Deadline } from './deadline.ts';
import type { Proxy } from './proxy.ts';
import type { Target } from './target.ts';

/** The destination of a tunnel. */
export type Destination = Pick<Target, 'host' | 'port' | 'origin'>;

/** The error for a failed exchange. Never contains the path or query of the address, which may contain a secret. */
export function outboundError(error: unknown, origin: string, deadline: Deadline, proxy?: Proxy): unknown {
  if (error instanceof WeftError) return withWay(error, proxy);
  if (deadline.reason !== undefined) return withWay(deadline.reason, proxy);
  const { message, transient } = described(error, origin);
  const hint = proxy === undefined ? '' : hintFor(codeOf(error), proxy);
  return new WeftError('outbound_failed', `${message}${hint}`, { transient });
}

/** Either side may be the one that does not answer. */
function withWay(error: unknown, proxy: Proxy | undefined): unknown {
  if (proxy === undefined || !(error instanceof WeftError) || error.code !== 'outbound_timeout') return error;
  return new WeftError(error.code, `${error.message} The way led through the proxy ${proxy.shown}.`);
}

/** The error for a proxy that could not be used. */
export function proxyError(error: unknown, { shown }: Proxy, deadline: Deadline): unknown {
  if (error instanceof WeftError)
    return error.code === 'outbound_failed' && !error.message.includes(shown)
      ? new WeftError('proxy_failed', `The proxy ${shown} cannot be used. ${error.message}`)
      : error;
  if (deadline.reason !== undefined) return deadline.reason;
  const { message, transient } = described(error, shown);
  return new WeftError('proxy_failed', `The proxy ${shown} cannot be used. ${message}`, { transient });
}

/** The proxy wants other credentials; `offered` is what it asks for, in the form of the header. */
export function notAccepted({ shown, user }: Proxy, offered: string): WeftError {
  const schemes = offered
    .split(',')
    .map((one) => /^\s*([A-Za-z][\w-]{0,30})(?:\s|$)/.exec(one)?.[1])
    .filter((one) => one !== undefined);
  const why =
    schemes.length > 0 && !schemes.some((one) => one.toLowerCase() === 'basic')
      ? `asks for ${schemes.join(' or ')}, and only Basic is supported`
      : user === ''
        ? 'asks for a user and a password'
        : 'does not accept the user and the password';
  return new WeftError('proxy_auth', `The proxy ${shown} ${why}.`);
}

/** The proxy lets nobody go there. */
export function refusedBy(
  { shown }: Proxy,
  { port, origin }: Pick<Destination, 'port' | 'origin'>,
  answer: string,
): WeftError {
  const hint =
    port === 443 ? '' : ` Many proxies open ways to port 443 only; whoever runs it can allow port ${port}.`;
  return new WeftError('proxy_refused', `The proxy ${shown} refuses a way to ${origin} (${answer}).${hint}`);
}

function described(error: unknown, origin: string): { message: string; transient: boolean } {
  const code = codeOf(error);
  const message = messages[code]?.(origin) ?? `The exchange with ${origin} failed (${code}).`;
  return { message, transient: !lasting.has(code) };
}

/** Proxies that look into encrypted traffic sign with an authority of their own; other ones answer in clear text. */
function hintFor(code: string, { shown }: Proxy): string {
  if (code.includes('SELF_SIGNED') || code.startsWith('UNABLE_TO_'))
    return ` If the proxy ${shown} signs with an authority of its own, NODE_EXTRA_CA_CERTS names its certificate.`;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code.startsWith('ERR_SSL_PACKET'))
    return ` What came through the proxy ${shown} is not encrypted.`;
  return '';
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
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (origin) =>
    `The certificate of ${origin} is signed by an authority that is not known.`,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: (origin) =>
    `${origin} asks for a certificate of the client: it is a setting of HTTP connections.`,
  CERT_HAS_EXPIRED: (origin) => `The certificate of ${origin} has expired.`,
  ERR_TLS_CERT_ALTNAME_INVALID: (origin) => `The certificate of ${origin} is for another name.`,
};

/** Failures that a retry would repeat. */
const lasting = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);
