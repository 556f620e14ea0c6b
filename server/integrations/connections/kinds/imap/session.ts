import type { Socket } from 'node:net';
import tls from 'node:tls';
import { ImapFlow, type ImapTransport } from 'imapflow';
import { WeftError } from '#engine';
import type { ConnectionName } from '#shared/connection.ts';
import type { Session, SessionDeps } from '../../kind.ts';
import { SessionSockets } from '../../open-work.ts';
import { connectMail, mailTlsOptions } from '../../mail-servers.ts';
import { connectionLost } from '../../servers.ts';
import { errorOf } from './failures.ts';
import { type Filter, headersOf, searchOf } from './mails.ts';

interface ImapSettings {
  readonly host: string;
  readonly port: number;
  readonly begins: 'auto' | 'encrypted' | 'plain';
  readonly user: string;
  readonly password: string;
  readonly tls: 'verified' | 'unverified' | 'off';
  readonly ca?: string | undefined;
}

interface Place {
  readonly mailbox: string;
  readonly uid: number;
  readonly validity?: string | undefined;
}

interface ListOptions extends Filter {
  readonly mailbox: string;
  readonly order: 'newest' | 'oldest';
  readonly limit: number;
}

/** Mails of a mailbox, as far as their headers say. */
interface Listed {
  readonly mailbox: string;
  /** Numbers of mails hold as long as this is the same. */
  readonly validity: string;
  /** The lowest number that the next mail may get. */
  readonly next: number;
  /** How many mails fit the filter. */
  readonly total: number;
  readonly mails: readonly object[];
}

/** Milliseconds without a byte of the server. */
const SILENCE_MS = 300_000;
/** Something that is no mail server greets with something else, or not at all. */
const GREETING_MS = 10_000;
/** The port on which servers encrypt from the first byte on. */
export const ENCRYPTED_PORT = 993;
/** The special uses of mailboxes (RFC 6154), in words for people. */
const USES: Readonly<Record<string, string>> = {
  '\\Inbox': 'Where mails arrive',
  '\\Archive': 'Archive',
  '\\Drafts': 'Drafts',
  '\\Junk': 'Spam',
  '\\Sent': 'Sent mails',
  '\\Trash': 'Deleted mails',
  '\\All': 'All mails',
  '\\Flagged': 'Flagged mails',
};
/** No mail is larger. */
const MAX_LITERAL = 100_000_000;
const HEADERS = { uid: true, envelope: true, flags: true, size: true, internalDate: true } as const;

/** A session with a mailbox server over a guarded socket; the protocol is imapflow's. */
export class ImapSession implements Session {
  private readonly settings: ImapSettings;
  readonly deps: SessionDeps;
  readonly sockets = new SessionSockets();
  private imap: ImapFlow | undefined = undefined;
  private isBusy = false;

  constructor(settings: ImapSettings, deps: SessionDeps) {
    this.settings = settings;
    this.deps = deps;
  }

  /** Connects, encrypts and signs in. */
  async start(signal: AbortSignal): Promise<void> {
    const { host, port, user, password, tls: mode } = this.settings;
    const { socket, isSecured } = await connectMail(this.settings, ENCRYPTED_PORT, this);
    this.sockets.own = socket;
    if (socket.destroyed) throw connectionLost('The mail server');
    socket.on('close', () => this.close());
    const imap = new ImapFlow({
      host,
      port,
      secure: isSecured,
      doSTARTTLS: !isSecured && mode !== 'off',
      auth: { user, pass: password },
      logger: false,
      clientInfo: { name: 'Weft' },
      disableAutoIdle: true,
      greetingTimeout: GREETING_MS,
      socketTimeout: SILENCE_MS,
      maxLiteralSize: MAX_LITERAL,
      transport: this.transportOver(socket),
    });
    this.imap = imap;
    imap.on('error', () => this.close());
    await this.during(signal, () => imap.connect());
  }

  async about(): Promise<string> {
    const { name, version } = (this.imap?.serverInfo ?? {}) as { name?: unknown; version?: unknown };
    const product = [name, version].filter((part) => typeof part === 'string').join(' ');
    return product === '' ? 'IMAP' : `IMAP (${product.slice(0, 100)})`;
  }

  /** The mailboxes that can hold mails, by the names that nodes use. */
  mailboxes(signal: AbortSignal): Promise<ConnectionName[]> {
    return this.signedIn(signal, async (imap) => {
      const all = await imap.list();
      return all
        .filter(({ flags }) => !flags.has('\\Noselect') && !flags.has('\\NonExistent'))
        .map(({ path, specialUse }) => {
          const hint = USES[specialUse ?? ''];
          return { name: path, ...(hint !== undefined && { hint }) };
        });
    });
  }

  makeMailbox(name: string, signal: AbortSignal): Promise<void> {
    return this.signedIn(signal, async (imap) => {
      const { created } = await imap.mailboxCreate(name);
      if (!created) throw new WeftError('action_failed', `There is a mailbox ${name} already.`);
    });
  }

  /** The headers of the mails that fit the filter. */
  list({ mailbox, order, limit, ...filter }: ListOptions, signal: AbortSignal): Promise<Listed> {
    return this.inMailbox(mailbox, signal, async (imap) => {
      const found = await imap.search(searchOf(filter), { uid: true });
      // imapflow returns no list for a refusal; an empty one would pass for a mailbox without matches.
      if (!Array.isArray(found)) throw refused(`to search ${mailbox}`);
      const { after = 0 } = filter;
      // A range of numbers that ends with * has the last mail in it, whatever its number is.
      const uids = found.filter((uid) => uid > after).sort((a, b) => a - b);
      const wanted = order === 'newest' ? uids.slice(-limit).reverse() : uids.slice(0, limit);
      const mails = wanted.length === 0 ? [] : await imap.fetchAll(wanted.join(','), HEADERS, { uid: true });
      const byUid = new Map(mails.map((mail) => [mail.uid, mail]));
      const { uidValidity, uidNext } = opened(imap);
      return {
        mailbox,
        validity: String(uidValidity),
        next: uidNext,
        total: uids.length,
        mails: wanted.flatMap((uid) => {
          const mail = byUid.get(uid);
          return mail === undefined ? [] : [headersOf(mail)];
        }),
      };
    });
  }

  /** The mail as it arrived. Throws `value_too_large` before it is read. */
  source(
    { maxBytes, ...place }: Place & { readonly maxBytes: number },
    signal: AbortSignal,
  ): Promise<object> {
    return this.inMailbox(place.mailbox, signal, async (imap) => {
      checkValidity(imap, place);
      const range = String(place.uid);
      const about = await imap.fetchOne(range, HEADERS, { uid: true });
      if (about === false) throw missing(place);
      const { size = 0 } = about;
      if (size > maxBytes)
        throw new WeftError(
          'value_too_large',
          `The mail has ${size} bytes; \`maxBytes\` allows ${maxBytes}.`,
        );
      const whole = await imap.fetchOne(range, { uid: true, source: { maxLength: maxBytes } }, { uid: true });
      if (whole === false || whole.source === undefined) throw missing(place);
      return { ...headersOf(about), source: new Uint8Array(whole.source) };
    });
  }

  /** Marks a mail, moves it or deletes it. */
  change(
    given: Place & {
      readonly read?: boolean | undefined;
      readonly flagged?: boolean | undefined;
      readonly moveTo?: string | undefined;
      readonly delete?: boolean | undefined;
    },
    signal: AbortSignal,
  ): Promise<boolean> {
    return this.inMailbox(given.mailbox, signal, async (imap) => {
      checkValidity(imap, given);
      const range = String(given.uid);
      const found = await imap.search({ uid: range }, { uid: true });
      if (!Array.isArray(found) || found.length === 0) throw missing(given);
      await flag(imap, range, '\\Seen', given.read);
      await flag(imap, range, '\\Flagged', given.flagged);
      if (given.moveTo !== undefined) {
        const moved = await imap.messageMove(range, given.moveTo, { uid: true });
        if (moved === false)
          throw refused(`to move the mail to ${given.moveTo}; perhaps there is no such mailbox`);
      } else if (given.delete === true && !(await imap.messageDelete(range, { uid: true })))
        throw refused('to delete the mail');
      return true;
    });
  }

  /** Resolves with true once a mail with this number or a higher one is there, and with false after the time. */
  wait(
    { mailbox, next, ms }: { mailbox: string; next: number; ms: number },
    signal: AbortSignal,
  ): Promise<boolean> {
    return this.inMailbox(mailbox, signal, async (imap) => {
      if (opened(imap).uidNext > next) return true;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const arrived = (): void => resolve(true);
      const timer = setTimeout(() => resolve(false), ms);
      imap.on('exists', arrived);
      imap.once('close', arrived);
      // It ends with the next command.
      void imap.idle().catch(() => {});
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        imap.off('exists', arrived);
        imap.off('close', arrived);
        if (imap.usable) await imap.noop();
      }
    });
  }

  get isOpen(): boolean {
    return this.sockets.isOpen && !this.isBusy && this.imap?.usable !== false;
  }

  async settled(): Promise<boolean> {
    return this.isOpen;
  }

  close(): void {
    this.imap?.close();
    this.sockets.close();
  }

  private inMailbox<T>(
    mailbox: string,
    signal: AbortSignal,
    work: (imap: ImapFlow) => Promise<T>,
  ): Promise<T> {
    return this.signedIn(signal, async (imap) => {
      // Opened anew each time: its numbers are those of now.
      await imap.mailboxOpen(mailbox);
      return work(imap);
    });
  }

  private signedIn<T>(signal: AbortSignal, work: (imap: ImapFlow) => Promise<T>): Promise<T> {
    const { imap } = this;
    if (imap === undefined || !this.isOpen) return Promise.reject(connectionLost('The mail server'));
    return this.during(signal, () => work(imap));
  }

  /** IMAP cannot cancel a command, so the session is closed if the signal aborts; and if it was lost. */
  private async during<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const { promise, reject } = Promise.withResolvers<never>();
    const leave = (): void => {
      reject(signal.reason as Error);
      this.close();
    };
    const lost = (): void => void setImmediate(() => reject(connectionLost('The mail server')));
    signal.addEventListener('abort', leave, { once: true });
    this.sockets.own?.once('close', lost);
    this.isBusy = true;
    try {
      return await Promise.race([work(), promise]);
    } catch (error) {
      const coded = signal.aborted ? (signal.reason as Error) : errorOf(error);
      if (!(coded instanceof WeftError) || !HARMLESS.has(coded.code)) this.close();
      throw coded;
    } finally {
      this.isBusy = false;
      this.sockets.own?.off('close', lost);
      signal.removeEventListener('abort', leave);
    }
  }

  /** The session works on the socket that is open already. */
  private transportOver(socket: Socket): ImapTransport {
    return {
      connect: (_options, onConnect) => {
        setImmediate(onConnect);
        return socket;
      },
      upgrade: (plain, _options, onSecure) => {
        const { promise, socket: secure } = this.secured(plain as Socket);
        promise.then(onSecure, () => {});
        return secure;
      },
    };
  }

  private secured(plain: Socket): { readonly promise: Promise<void>; readonly socket: Socket } {
    const secure = tls.connect({ ...mailTlsOptions(this.settings), socket: plain });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    secure.once('secureConnect', resolve);
    secure.once('error', reject);
    secure.once('close', () => this.close());
    return { promise, socket: secure };
  }
}

/** Errors after which the session can be used. */
const HARMLESS: ReadonlySet<string> = new Set(['action_failed', 'value_too_large']);

function opened(imap: ImapFlow): { readonly uidValidity: bigint; readonly uidNext: number } {
  const { mailbox } = imap;
  if (mailbox === false) throw connectionLost('The mail server');
  return mailbox;
}

function checkValidity(imap: ImapFlow, place: Place): void {
  const { uidValidity } = opened(imap);
  if (place.validity === undefined || place.validity === String(uidValidity)) return;
  throw new WeftError(
    'action_failed',
    `The mailbox ${place.mailbox} was made anew since the mail was found, so its number means nothing; search it again.`,
  );
}

function missing({ mailbox, uid }: Place): WeftError {
  return new WeftError('action_failed', `There is no mail ${uid} in ${mailbox}; it was moved or deleted.`);
}

async function flag(imap: ImapFlow, range: string, name: string, on: boolean | undefined): Promise<void> {
  if (on === undefined) return;
  const done = on
    ? await imap.messageFlagsAdd(range, [name], { uid: true })
    : await imap.messageFlagsRemove(range, [name], { uid: true });
  if (!done) throw refused(`to change the mark ${name}`);
}

/** imapflow does not say why. */
function refused(what: string): WeftError {
  return new WeftError('action_failed', `The mail server refused ${what}.`);
}
