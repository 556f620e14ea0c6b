import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Session, SessionDeps } from '../../kind.ts';
import { SessionSockets } from '../../open-work.ts';
import { connectMail, mailTlsOptions } from '../../mail-servers.ts';
import { connectionLost } from '../../servers.ts';
import { type Failure, errorOf } from './failures.ts';
import type { Mail } from './mail.ts';

interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  readonly begins: 'auto' | 'encrypted' | 'plain';
  readonly user: string;
  readonly password: string;
  readonly from: string;
  readonly tls: 'verified' | 'unverified' | 'off';
  readonly ca?: string | undefined;
}

/** The result of a mail that the server took over. */
interface Sent {
  readonly messageId: string;
  /** Addresses that the server accepted, and those that it refused with its reasons. */
  readonly accepted: readonly string[];
  readonly rejected: readonly { readonly address: string; readonly reason: string }[];
  /** The last answer of the server. */
  readonly response: string;
}

/** Milliseconds without a byte of the server. */
const SILENCE_MS = 60_000;
/** The port on which servers encrypt from the first byte on. */
export const ENCRYPTED_PORT = 465;

/** A session with a mail server over a guarded socket; the protocol is nodemailer's. */
export class SmtpSession implements Session {
  /** The sender of mails that name none. */
  readonly from: string;
  private readonly settings: SmtpSettings;
  readonly deps: SessionDeps;
  readonly sockets = new SessionSockets();
  private smtp: SMTPConnection | undefined = undefined;
  private isBusy = false;

  constructor(settings: SmtpSettings, deps: SessionDeps) {
    this.settings = settings;
    this.deps = deps;
    this.from = settings.from;
  }

  /** Connects, encrypts and signs in. */
  async start(signal: AbortSignal): Promise<void> {
    const { host, user, password, tls: mode } = this.settings;
    const { socket, isSecured } = await connectMail(this.settings, ENCRYPTED_PORT, this);
    this.sockets.own = socket;
    if (socket.destroyed) throw connectionLost('The mail server');
    socket.on('close', () => this.close());
    const smtp = new SMTPConnection({
      host,
      connection: socket,
      secure: isSecured,
      secured: isSecured,
      requireTLS: !isSecured && mode !== 'off',
      ignoreTLS: mode === 'off',
      tls: mailTlsOptions(this.settings),
      greetingTimeout: SILENCE_MS,
      socketTimeout: SILENCE_MS,
      logger: false,
    });
    this.smtp = smtp;
    await this.during(signal, (done) => smtp.connect(done));
    if (user !== '')
      await this.during<boolean>(signal, (done) =>
        smtp.login({ user, credentials: { user, pass: password } }, done),
      );
  }

  async about(): Promise<string> {
    const name = this.smtp?.lastServerResponse;
    const [product] =
      /\b(?:Postfix|Exim|Sendmail|Microsoft ESMTP|gsmtp|Haraka|OpenSMTPD)\b/.exec(String(name)) ?? [];
    return product === undefined ? 'SMTP' : `SMTP (${product})`;
  }

  /** Throws `action_failed` if the server refuses the mail or all recipients, and the errors of connections. */
  async send(mail: Mail, signal: AbortSignal): Promise<Sent> {
    const { smtp } = this;
    if (smtp === undefined || !this.isOpen) throw connectionLost('The mail server');
    const envelope = {
      from: mail.from.address,
      to: [...new Set([...mail.to, ...mail.cc, ...mail.bcc].map(({ address }) => address))],
    };
    const message = await built(mail);
    const info = await this.during<SmtpInfo>(signal, (done) => smtp.send(envelope, message, done));
    return {
      messageId: mail.messageId,
      accepted: info.accepted,
      rejected: (info.rejectedErrors ?? []).map((error) => ({
        address: String(error.recipient ?? ''),
        reason: String(error.response ?? error.message).slice(0, 500),
      })),
      response: String(info.response ?? '').slice(0, 500),
    };
  }

  get isOpen(): boolean {
    return this.sockets.isOpen && !this.isBusy;
  }

  async settled(): Promise<boolean> {
    return this.isOpen;
  }

  close(): void {
    this.smtp?.close();
    this.sockets.close();
  }

  /** One step of the protocol. SMTP cannot cancel one, so the session is closed if the signal aborts or the step fails. */
  private async during<T = undefined>(
    signal: AbortSignal,
    step: (done: (error?: Failure | null, result?: T) => void) => void,
  ): Promise<T> {
    const { smtp } = this;
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const leave = (): void => reject(signal.reason as Error);
    const fail = (error: Failure): void => reject(errorOf(error));
    // The client is silent about a connection that ends early; what it says of others comes first.
    const lost = (): void => void setImmediate(() => reject(connectionLost('The mail server')));
    signal.addEventListener('abort', leave, { once: true });
    this.sockets.own?.once('close', lost);
    smtp?.once('error', fail);
    this.isBusy = true;
    step((error, result) => (error ? fail(error) : resolve(result as T)));
    try {
      return await promise;
    } catch (error) {
      this.close();
      throw error;
    } finally {
      this.isBusy = false;
      smtp?.off('error', fail);
      this.sockets.own?.off('close', lost);
      signal.removeEventListener('abort', leave);
    }
  }
}

interface SmtpInfo {
  readonly accepted: readonly string[];
  readonly rejectedErrors?: readonly Failure[] | undefined;
  readonly response?: string | undefined;
}

/** The mail as it is sent. Nothing is read from files or addresses, whatever its texts say. */
function built(mail: Mail): Promise<Buffer> {
  const composer = new MailComposer({
    from: mail.from,
    to: [...mail.to],
    cc: [...mail.cc],
    replyTo: [...mail.replyTo],
    subject: mail.subject,
    messageId: mail.messageId,
    ...(mail.text !== undefined && { text: mail.text }),
    ...(mail.html !== undefined && { html: mail.html }),
    ...(mail.inReplyTo !== undefined && { inReplyTo: mail.inReplyTo }),
    ...(mail.references.length > 0 && { references: mail.references }),
    attachments: mail.attachments.map(({ name, type, content }) => ({
      filename: name,
      contentType: type,
      content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
