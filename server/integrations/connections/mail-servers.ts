import { isIP, type Socket } from 'node:net';
import { z } from 'zod';
import { WeftError } from '#engine';
import type { SessionDeps } from './kind.ts';
import type { SessionSockets } from './open-work.ts';
import { notEncrypted, startTls, tlsOptions } from './servers.ts';

/** The common part of mail servers (SMTP, IMAP): how their encryption begins. */

/** `port`: the port on which they encrypt from the first byte on. */
export function beginsField(port: number) {
  return z
    .enum(['auto', 'encrypted', 'plain'])
    .default('auto')
    .describe(
      `encrypted: TLS from the first byte on, as on port ${port}. plain: the server is asked to encrypt (STARTTLS). auto: by the port.`,
    )
    .meta({
      title: 'Begins',
      group: 'Encryption',
      labels: {
        auto: 'By the port',
        encrypted: 'Encrypted at once (TLS)',
        plain: 'Asks to encrypt (STARTTLS)',
      },
    });
}

interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly begins: 'auto' | 'encrypted' | 'plain';
  readonly tls: 'verified' | 'unverified' | 'off';
  readonly ca?: string | undefined;
}

/** Options of Node's `tls.connect`, with the name that distinguishes servers behind one address. */
export function mailTlsOptions(server: MailServer) {
  return { ...tlsOptions(server), ...(isIP(server.host) === 0 && { servername: server.host }) };
}

/** A socket to the server, encrypted if the server encrypts from the first byte on. `port`: the one on which it does by `auto`. */
export async function connectMail(
  server: MailServer,
  port: number,
  { deps, sockets }: { readonly deps: SessionDeps; readonly sockets: SessionSockets },
): Promise<{ readonly socket: Socket; readonly isSecured: boolean }> {
  const { begins, tls } = server;
  const isSecured = tls !== 'off' && (begins === 'encrypted' || (begins === 'auto' && server.port === port));
  const plain = await deps.connect(sockets.signal, false);
  sockets.add(plain);
  if (!isSecured) return { socket: plain, isSecured };
  return { socket: await startTls(plain, mailTlsOptions(server), tlsErrorOf), isSecured };
}

function tlsErrorOf(error: NodeJS.ErrnoException): WeftError {
  if (error.code !== 'ERR_SSL_WRONG_VERSION_NUMBER') return notEncrypted(error, 'the mail server');
  return new WeftError(
    'connection_refused',
    'The mail server does not encrypt from the first byte on; set `begins` of the connection to plain, or another port.',
  );
}
