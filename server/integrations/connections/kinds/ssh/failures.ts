import { hash } from 'node:crypto';
import { WeftError } from '#engine';

/** An error of ssh2: of the connection, with its level, or of SFTP, with the number of its status. */
export interface Failure extends Error {
  readonly level?: string | undefined;
  readonly code?: number | string | undefined;
}

/** The most characters of an error that are shown. */
const SHOWN = 300;

/** Levels of errors that no other attempt mends. */
const FINAL = new Set(['handshake', 'client-authentication']);

/** The coded error for an error of ssh2. */
export function errorOf(error: Failure): WeftError {
  if (error instanceof WeftError) return error;
  const { level = '' } = error;
  if (FINAL.has(level))
    return new WeftError('connection_refused', `The SSH server and Weft do not agree: ${said(error)}.`);
  if (level === 'client-timeout') return new WeftError('connection_failed', 'The SSH server did not answer.');
  return new WeftError('connection_failed', `The connection to the SSH server failed: ${said(error)}.`);
}

/** What the other side says, in one line without the point at its end. */
export function said({ message }: Error): string {
  return message
    .slice(0, SHOWN)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(/\.+$/, '');
}

/** The sign-in that the server refused; `offered`: the ways that it takes. */
export function signInRefused(user: string, offered: readonly string[]): WeftError {
  const ways = offered.length === 0 ? '' : ` It takes: ${offered.join(', ')}.`;
  return new WeftError(
    'connection_refused',
    `The SSH server refused the sign-in of ${JSON.stringify(user.slice(0, 100))}.${ways}`,
  );
}

/** The error for a server that has not answered for so long. */
export function silent(timeoutMs: number): WeftError {
  return new WeftError('connection_failed', `The SSH server was silent for ${timeoutMs} ms.`);
}

/** The key of a server in the form of `ssh-keygen -l`. */
export interface HostKey {
  readonly type: string;
  readonly fingerprint: string;
}

/** `blob`: the public key in the form of RFC 4253, which begins with its type. */
export function hostKeyOf(blob: Buffer): HostKey {
  const length = blob.length >= 4 ? blob.readUInt32BE(0) : 0;
  const type = blob.toString('latin1', 4, 4 + Math.min(length, 64)).replaceAll(/[^\w@.-]/g, '');
  const sum = Buffer.from(hash('sha256', blob, 'hex'), 'hex')
    .toString('base64')
    .replace(/=+$/, '');
  return { type, fingerprint: `SHA256:${sum}` };
}

/** The error for a key that the connection does not name; `known`: whether it names another one. */
export function hostKeyRefused(host: string, { type, fingerprint }: HostKey, known: boolean): WeftError {
  const shows = `The SSH server at ${host} shows the key ${fingerprint} (${type})`;
  const options = { data: { fingerprint, type } };
  if (known)
    return new WeftError(
      'host_key_changed',
      `${shows}, which is not that of the connection. It is another key of this server (ED25519 comes before ECDSA and RSA), or the server has a new key, or somebody else answers in its place: ask its administrator before you change \`fingerprint\` of the connection.`,
      options,
    );
  return new WeftError(
    'host_key_unknown',
    `${shows}, and the connection names none. Compare it with what \`ssh-keygen -lf\` shows on that server, then enter it as \`fingerprint\` of the connection.`,
    options,
  );
}
