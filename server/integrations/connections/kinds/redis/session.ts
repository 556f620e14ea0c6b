import { isIP, type Socket } from 'node:net';
import { WeftError } from '#engine';
import { before, startDeadline } from '../../../../base/outbound/deadline.ts';
import type { Session, SessionDeps } from '../../kind.ts';
import { SessionSockets } from '../../open-work.ts';
import { connectionLost, notEncrypted, offersNoTls, startTls, tlsOptions } from '../../servers.ts';
import { commandOf, Refusal, type Reply, ReplyReader } from './reply.ts';

/** The credentials of a session. */
export interface RedisSettings {
  readonly host: string;
  readonly user: string;
  readonly password: string;
  readonly database: number;
  readonly tls: 'verified' | 'unverified' | 'off';
  readonly ca?: string | undefined;
}

/** How long the encryption may take to begin, in milliseconds. */
const TLS_MS = 5000;
/** Answers that are not values. */
const SMALL = 100_000;
/** The most characters of an error of Redis that are shown. */
const SHOWN = 500;

/** First words of errors: of a refused sign-in, and of a server that cannot answer now. */
const REFUSED = new Set(['NOAUTH', 'WRONGPASS', 'DENIED']);
const UNABLE = new Set(['LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'TRYAGAIN', 'BUSY', 'READONLY']);
const ELSEWHERE = new Set(['MOVED', 'ASK', 'CROSSSLOT']);

interface Waiting {
  readonly reader: ReplyReader;
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}

/** A session with Redis over a guarded socket. It speaks RESP2: one command at a time, with one reply to each. */
export class RedisSession implements Session {
  private readonly settings: RedisSettings;
  private readonly deps: SessionDeps;
  private readonly sockets = new SessionSockets();
  private waiting: Waiting | undefined = undefined;

  constructor(settings: RedisSettings, deps: SessionDeps) {
    this.settings = settings;
    this.deps = deps;
  }

  /** Connects and signs in. */
  async start(signal: AbortSignal): Promise<void> {
    const { user, password, database } = this.settings;
    this.listen(await this.connected());
    if (user !== '') await this.signIn(['AUTH', user, password], signal);
    else if (password !== '') await this.signIn(['AUTH', password], signal);
    if (database !== 0) await this.signIn(['SELECT', String(database)], signal);
  }

  async about(signal: AbortSignal): Promise<string> {
    const reply = await this.sent(['INFO', 'server'], SMALL, signal);
    // A user may be allowed to read keys only.
    if (reply instanceof Refusal && reply.text.startsWith('NOPERM')) return 'Redis';
    const [, name = 'redis', version = ''] =
      /^(valkey|redis)_version:([\w.-]+)/m.exec(String(this.accepted(reply))) ?? [];
    return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${version}`.trim();
  }

  /** Sends a command. Throws `action_failed` and the errors of connections. */
  async ask(
    command: readonly string[],
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<string | Buffer | null> {
    return this.accepted(await this.sent(command, maxBytes, signal));
  }

  get isOpen(): boolean {
    return this.sockets.isOpen && this.waiting === undefined;
  }

  async settled(): Promise<boolean> {
    return this.isOpen;
  }

  close(): void {
    this.sockets.close();
  }

  private async signIn(command: readonly string[], signal: AbortSignal): Promise<void> {
    const reply = await this.sent(command, SMALL, signal);
    if (!(reply instanceof Refusal)) return;
    const error = errorOf(reply.text);
    if (error.code === 'connection_failed') throw error;
    throw new WeftError('connection_refused', error.message);
  }

  private accepted(reply: Reply): string | Buffer | null {
    if (!(reply instanceof Refusal)) return reply;
    const error = errorOf(reply.text);
    // Another session may reach a server that can.
    if (error.code !== 'action_failed') this.close();
    throw error;
  }

  private sent(command: readonly string[], maxBytes: number, signal: AbortSignal): Promise<Reply> {
    const socket = this.sockets.own;
    if (socket === undefined || !this.isOpen) return Promise.reject(connectionLost('Redis'));
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.waiting = { reader: new ReplyReader(maxBytes), resolve, reject };
    // Redis cannot cancel a command, so the session is closed.
    const leave = (): void => this.fail(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    socket.write(commandOf(command));
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  private async connected(): Promise<Socket> {
    const { host } = this.settings;
    const plain = await this.deps.connect(this.sockets.signal, false);
    this.sockets.add(plain);
    const secure = tlsOptions(this.settings);
    if (secure === undefined) return plain;
    // The name distinguishes servers behind one address.
    const name = isIP(host) === 0 ? { servername: host } : {};
    const deadline = startDeadline(TLS_MS, this.sockets.signal, () => encryptsNothing());
    try {
      return await before(deadline, startTls(plain, { ...secure, ...name }, tlsErrorOf));
    } finally {
      deadline.end();
    }
  }

  private listen(socket: Socket): void {
    this.sockets.own = socket;
    // The session was closed while it was being opened.
    if (this.sockets.signal.aborted) socket.destroy();
    let failure: WeftError | undefined;
    socket.on('error', ({ message }) => {
      failure = new WeftError('connection_failed', `The connection to Redis failed: ${message}.`);
    });
    socket.on('end', () => this.close());
    socket.on('close', () => this.fail(failure ?? connectionLost('Redis')));
    socket.on('data', (piece: Buffer) => this.take(piece));
  }

  private take(piece: Buffer): void {
    const { waiting } = this;
    // No command is under way, so later answers could not be matched to their commands.
    if (waiting === undefined) return this.close();
    try {
      const reply = waiting.reader.read(piece);
      if (reply === undefined) return;
      this.waiting = undefined;
      waiting.resolve(reply);
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    const { waiting } = this;
    this.waiting = undefined;
    this.close();
    waiting?.reject(error);
  }
}

function tlsErrorOf(error: NodeJS.ErrnoException): WeftError {
  if (error.code === 'ERR_SSL_WRONG_VERSION_NUMBER') return offersNoTls('Redis');
  return error.code === 'ECONNRESET' ? encryptsNothing() : notEncrypted(error, 'Redis');
}

/** A Redis without TLS reads the first bytes of the handshake as the beginning of a command, and waits for the rest. */
function encryptsNothing(): WeftError {
  return new WeftError(
    'connection_failed',
    'Redis did not begin to encrypt; perhaps it offers no encryption. If its network is trusted, set `tls` of the connection to off.',
  );
}

/** The coded error for an error of Redis, whose first word is its kind. */
function errorOf(text: string): WeftError {
  const [word = 'ERR'] = /^[A-Z]+/.exec(text) ?? [];
  const shown = text
    .slice(0, SHOWN)
    // They may contain a password or a value.
    .replace(/,? with args beginning with.*/s, '')
    .replaceAll(/\p{Cc}/gu, ' ')
    .replace(/\.$/, '');
  const hint = ELSEWHERE.has(word) ? ' Clusters of Redis are not supported.' : '';
  return new WeftError(codeOf(word, text), `Redis reported: ${shown}.${hint}`, { data: { word } });
}

function codeOf(word: string, text: string): string {
  if (REFUSED.has(word)) return 'connection_refused';
  if (UNABLE.has(word) || text.includes('max number of clients')) return 'connection_failed';
  return 'action_failed';
}
