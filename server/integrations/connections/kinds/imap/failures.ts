import { WeftError } from '#engine';
import { notEncrypted } from '../../servers.ts';

/** An error of imapflow, as far as it is read here. */
interface Failure extends Error {
  readonly code?: string | undefined;
  readonly authenticationFailed?: boolean | undefined;
  readonly responseText?: string | undefined;
  readonly responseStatus?: string | undefined;
  readonly tlsFailed?: boolean | undefined;
}

/** The most characters of an answer that are shown. */
const SHOWN = 500;

/** Node reports a certificate that it does not accept as an error of the socket. */
const CERTIFICATE = /certificate|altnames/i;

/** The coded error for an error of imapflow. */
export function errorOf(error: unknown): WeftError {
  if (error instanceof WeftError) return error;
  const { message, responseText, responseStatus, code = '', ...more } = error as Failure;
  const said = `${responseText ?? message}`
    .slice(0, SHOWN)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .replace(/\.+$/, '');
  if (more.authenticationFailed === true)
    return new WeftError('connection_refused', `The mail server refused the sign-in: ${said}.`);
  if (CERTIFICATE.test(message)) return notEncrypted({ message }, 'the mail server');
  if (/STARTTLS/i.test(message) || more.tlsFailed === true)
    return new WeftError(
      'connection_refused',
      'The mail server offers no encryption. If its network is trusted, set `tls` of the connection to off.',
    );
  if (responseStatus === 'NO' || responseStatus === 'BAD')
    return new WeftError('action_failed', `The mail server reported: ${said}.`);
  return new WeftError('connection_failed', `The connection to the mail server failed: ${said || code}.`);
}
