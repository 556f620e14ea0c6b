import { WeftError } from '#engine';
import { notEncrypted } from '../../servers.ts';

/** An error of nodemailer. */
export interface Failure extends Error {
  readonly code?: string | undefined;
  /** The last answer of the server, and its number. */
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly recipient?: string | undefined;
}

/** The most characters of an answer that are shown. */
const SHOWN = 500;

const REFUSED = new Set(['EAUTH', 'ENOAUTH', 'EOAUTH2']);
const LOST = new Set(['ECONNECTION', 'ESOCKET', 'ETIMEDOUT', 'EDNS', 'EPROTOCOL', 'ESTREAM']);

/** Node reports a certificate that it does not accept as an error of the socket. */
const CERTIFICATE = /certificate|altnames/i;

/** The coded error for an error of nodemailer. */
export function errorOf(error: Failure): WeftError {
  if (error instanceof WeftError) return error;
  const { code = '', response, responseCode } = error;
  const said = (response ?? error.message)
    .slice(0, SHOWN)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  if (REFUSED.has(code))
    return new WeftError(
      'connection_refused',
      `The mail server refused the sign-in: ${said}.`.replace(/\.+$/, '.'),
    );
  if (code === 'ETLS' || CERTIFICATE.test(error.message)) return notEncryptedOf(error);
  // 421: the server is about to close the connection (RFC 5321, 4.2).
  if (LOST.has(code) || responseCode === 421)
    return new WeftError(
      'connection_failed',
      `The connection to the mail server failed: ${said}.`.replace(/\.+$/, '.'),
    );
  const isTransient = responseCode !== undefined && responseCode >= 400 && responseCode < 500;
  return new WeftError('action_failed', `The mail server refused the mail: ${said}`.replace(/\.*$/, '.'), {
    transient: isTransient,
    data: { ...(responseCode !== undefined && { status: responseCode }) },
  });
}

function notEncryptedOf(error: Failure): WeftError {
  if (/STARTTLS/i.test(error.message) && !/certificate|TLS - /i.test(error.message))
    return new WeftError(
      'connection_refused',
      'The mail server offers no encryption. If its network is trusted, set `tls` of the connection to off.',
    );
  return notEncrypted({ message: error.message }, 'the mail server');
}
