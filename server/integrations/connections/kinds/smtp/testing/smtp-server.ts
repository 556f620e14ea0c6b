import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { SMTPServer } from 'smtp-server';
import { certificate, key } from '../../../testing/self-signed.ts';

/** A mail as a server got it. */
export interface Received {
  readonly from: string;
  readonly to: readonly string[];
  /** The message with its headers, as it was sent. */
  readonly source: string;
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
}

export interface SmtpOptions {
  /** `starttls`: the server offers it. `encrypted`: from the first byte on. */
  readonly encrypts?: 'starttls' | 'encrypted' | 'off';
  /** The only user, whose password is `right`. */
  readonly user?: string;
  /** The refusal of a recipient: its number and text. */
  refuses?(address: string): readonly [number, string] | undefined;
  readonly maxBytes?: number;
}

/** A mail server of the npm package `smtp-server`, which ends with the test. */
export async function startSmtp({ encrypts = 'off', user, refuses, maxBytes }: SmtpOptions = {}) {
  const received: Received[] = [];
  let sessions = 0;
  const server = new SMTPServer({
    secure: encrypts === 'encrypted',
    ...(encrypts !== 'off' && { key, cert: certificate }),
    hideSTARTTLS: encrypts === 'off',
    authOptional: user === undefined,
    allowInsecureAuth: true,
    ...(maxBytes !== undefined && { size: maxBytes }),
    disabledCommands: encrypts === 'off' ? ['STARTTLS'] : [],
    onConnect: (_session, done) => {
      sessions++;
      done();
    },
    onAuth: ({ username, password }, _session, done) =>
      username === user && password === 'right'
        ? done(null, { user: username })
        : done(Object.assign(new Error('5.7.8 Wrong user or password'), { responseCode: 535 })),
    onRcptTo: ({ address }, _session, done) => {
      const [responseCode, text] = refuses?.(address) ?? [];
      done(text === undefined ? undefined : Object.assign(new Error(text), { responseCode }));
    },
    onData: (stream, session, done) => {
      let source = '';
      stream.setEncoding('utf8').on('data', (piece: string) => {
        source += piece;
      });
      stream.on('end', () => {
        if (stream.sizeExceeded) return done(Object.assign(new Error('Too large'), { responseCode: 552 }));
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          source,
          isEncrypted: session.secure,
          user: session.user as string | undefined,
        });
        return done(null, 'taken over');
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { port, received, sessions: () => sessions };
}
