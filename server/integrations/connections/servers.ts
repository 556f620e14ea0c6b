import type { Socket } from 'node:net';
import tls from 'node:tls';
import { z } from 'zod';
import { WeftError } from '#engine';
import type { HarmlessChanges } from '#shared/connection.ts';

/** The common part of kinds that open sockets to a server: settings and encryption. */

export function addressFields(port: number) {
  return {
    host: z
      .string()
      .trim()
      .min(1)
      .max(255)
      .describe('Name or address. Private addresses are allowed once saved.'),
    port: z.int().min(1).max(65_535).default(port).describe('The port that it listens on.'),
  };
}

export const passwordField = z
  .string()
  .max(4096)
  .default('')
  .describe('The password of this user; empty if the server asks for none.')
  .meta({ format: 'password' });

export const tlsFields = {
  tls: z
    .enum(['verified', 'unverified', 'off'])
    .default('verified')
    .describe(
      'verified: encrypted, and the certificate of the server must be right. unverified: encrypted, with anybody. off: in clear text, for a network that is trusted.',
    )
    .meta({
      title: 'TLS',
      group: 'Encryption',
      labels: {
        verified: 'Encrypted, certificate checked',
        unverified: 'Encrypted, any certificate',
        off: 'Not encrypted',
      },
    }),
  ca: z
    .string()
    .max(65_536)
    .optional()
    .describe(
      'The certificate (PEM) of the authority that signed the certificate of the server, if it is not a public one.',
    )
    .meta({ widget: 'textarea', title: 'CA certificate', group: 'Encryption' }),
};

export const mostField = z
  .int()
  .min(1)
  .max(1000)
  .default(10)
  .describe('Sessions that are open at once, at most.')
  .meta({ title: 'Most sessions', group: 'Limits' });

/** The limit of sessions in these settings. */
export const harmlessToServers: HarmlessChanges = { most: 'any', tls: ['off', 'unverified', 'verified'] };

type TlsSettings = z.output<z.ZodObject<ReturnType<typeof addressFields> & typeof tlsFields>>;

/** Options of Node's `tls.connect`; undefined for clear text. */
export function tlsOptions({ host, tls: mode, ca }: Pick<TlsSettings, 'host' | 'tls' | 'ca'>) {
  if (mode === 'off') return undefined;
  return { host, rejectUnauthorized: mode === 'verified', ...(ca !== undefined && ca !== '' && { ca }) };
}

/** Encrypts a socket. Rejects with the error that `refusal` returns. */
export async function startTls(
  plain: Socket,
  options: tls.ConnectionOptions,
  refusal: (error: NodeJS.ErrnoException) => Error,
): Promise<Socket> {
  const socket = tls.connect({ ...options, socket: plain });
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    // The listener stays: a session may write to a socket whose other end has closed, and some drivers do not handle its errors.
    socket.on('error', (error: NodeJS.ErrnoException) => reject(refusal(error)));
  });
  return socket;
}

/** Codes of Node for certificates that no known authority has signed. */
const UNKNOWN_SIGNER =
  /^(?:DEPTH_ZERO_)?SELF_SIGNED|^UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)|self-signed|local issuer|first certificate/i;

/** The error for an encryption that failed, with a remedy. */
export function notEncrypted(
  { code = '', message }: { readonly code?: string | undefined; readonly message: string },
  whom = 'the database',
): WeftError {
  const remedy =
    UNKNOWN_SIGNER.test(code) || UNKNOWN_SIGNER.test(message)
      ? ' No known authority has signed its certificate: enter the certificate of its authority as `ca` of the connection.'
      : code === 'ERR_TLS_CERT_ALTNAME_INVALID'
        ? ' Its certificate is for another host: set `host` of the connection to a name in it.'
        : '';
  return new WeftError('connection_refused', `The encryption with ${whom} failed: ${message}.${remedy}`);
}

/** The error for a server that does not encrypt where encryption is required; `whom` begins a sentence. */
export function offersNoTls(whom = 'The database'): WeftError {
  return new WeftError(
    'connection_refused',
    `${whom} offers no encryption. If its network is trusted, set \`tls\` of the connection to off.`,
  );
}

export function connectionLost(name: string): WeftError {
  return new WeftError('connection_failed', `${name} closed the connection.`);
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
