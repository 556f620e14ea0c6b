import ssh2, { type Client, type SFTPWrapper } from 'ssh2';
import { WeftError } from '#engine';
import type { Session, SessionDeps } from '../../kind.ts';
import { OpenWork, SessionSockets } from '../../open-work.ts';
import { privateKeyIn } from '../../pem.ts';
import { connectionLost } from '../../servers.ts';
import { type Command, execute, type Ran } from './command.ts';
import { errorOf, type Failure, hostKeyOf, hostKeyRefused, said, signInRefused, silent } from './failures.ts';
import { fingerprintsOf, type SshSettings } from './settings.ts';
import { Sftp } from './sftp.ts';

/** How often a silent server is asked whether it is there, and how often in vain, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVES = 4;
/** How long the handshake and the sign-in may take. */
const READY_MS = 20_000;
/** How long what is under way may take once nobody waits for it, in milliseconds. */
const GRACE_MS = 1000;
const NAME = 'The SSH server';

/** A session with an SSH server over a guarded socket; the protocol is that of ssh2. */
export class SshSession implements Session {
  readonly settings: SshSettings;
  private readonly deps: SessionDeps;
  private readonly sockets = new SessionSockets();
  private readonly work = new OpenWork((error) => errorOf(error as Failure));
  private readonly client: Client = new ssh2.Client();
  private opened: Promise<Sftp> | undefined;

  constructor(settings: SshSettings, deps: SessionDeps) {
    this.settings = settings;
    this.deps = deps;
  }

  /** Connects, checks the key of the server, and signs in. */
  async start(): Promise<void> {
    const socket = await this.deps.connect(this.sockets.signal, false);
    this.sockets.add(socket);
    this.sockets.own = socket;
    if (this.sockets.signal.aborted || socket.destroyed) {
      socket.destroy();
      throw connectionLost(NAME);
    }
    const { host, user, password, privateKey, passphrase } = this.settings;
    const known = fingerprintsOf(this.settings);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const ways = waysOf(this.settings);
    let offered: readonly string[] = [];
    let refusal: WeftError | undefined;
    this.client
      // From then on an error ends the session: ssh2 reads nothing more, and waits for the server to close the socket.
      .on('ready', () => {
        this.client.on('error', () => this.close());
        resolve();
      })
      .on('error', (error: Failure) => {
        if (error.level === 'client-authentication') refusal ??= signInRefused(user, offered);
        reject(refusal ?? errorOf(error));
      })
      .on('close', () => {
        reject(connectionLost(NAME));
        this.close();
      })
      .on('keyboard-interactive', (...asked) => {
        const [, , , prompts, finish] = asked;
        finish(prompts.map(({ echo }) => (echo === true ? '' : password)));
      });
    try {
      this.client.connect({
        sock: socket,
        username: user,
        ...(password !== '' && { password, tryKeyboard: true }),
        ...(privateKey !== '' && { privateKey: privateKeyIn(privateKey) }),
        ...(passphrase !== '' && { passphrase }),
        hostVerifier: (blob: Buffer) => {
          const key = hostKeyOf(blob);
          if (known.includes(key.fingerprint)) return true;
          refusal = hostKeyRefused(host, key, known.length > 0);
          return false;
        },
        authHandler: (left: readonly string[] | null) => {
          offered = left ?? offered;
          return (ways.shift() ?? false) as never;
        },
        readyTimeout: READY_MS,
        keepaliveInterval: KEEP_ALIVE_MS,
        keepaliveCountMax: KEEP_ALIVES,
      });
    } catch (error) {
      throw keyUnreadable(error as Error);
    }
    await promise;
  }

  /** The product, and whether it has files, whose folder must be there. */
  async about(signal: AbortSignal): Promise<string> {
    const product = (this.client as unknown as { readonly _remoteVer?: string })._remoteVer ?? '';
    const end = this.cutIfAborted(signal);
    const name = `SSH (${product.replaceAll(/[^\w.-]/g, '').slice(0, 60)})`.replace(' ()', '');
    try {
      const sftp = await this.work.run(signal, () => this.sftp());
      await this.work.run(signal, () => sftp.real('.'));
      await this.work.run(signal, () => sftp.root());
      return name;
    } catch (error) {
      if (error instanceof WeftError && error.code === 'action_failed') return `${name}, without SFTP`;
      throw error;
    } finally {
      end();
    }
  }

  /** What is under way ends by itself soon after the signal aborts, unless the server is silent; then the session is closed. */
  cutIfAborted(signal: AbortSignal): () => void {
    let timer: NodeJS.Timeout | undefined;
    const cut = (): void => {
      timer = setTimeout(() => this.close(), GRACE_MS);
    };
    if (signal.aborted) cut();
    else signal.addEventListener('abort', cut, { once: true });
    return () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cut);
    };
  }

  /** Executes a command. Throws `action_failed`, `value_too_large` and the errors of connections. */
  run(command: Command, signal: AbortSignal): Promise<Ran> {
    return this.work.run(signal, () =>
      execute(this.client, command, { signal, cut: () => this.close(), isOpen: () => this.isOpen }),
    );
  }

  /** Its files. Throws `action_failed` if the server has no SFTP. */
  sftp(): Promise<Sftp> {
    this.opened ??= this.openSftp();
    this.opened.catch(() => {
      this.opened = undefined;
    });
    return this.opened;
  }

  private async openSftp(): Promise<Sftp> {
    if (!this.isOpen) throw connectionLost(NAME);
    const { promise, resolve, reject } = Promise.withResolvers<SFTPWrapper>();
    const { timeoutMs } = this.settings;
    const timer = setTimeout(() => {
      reject(silent(timeoutMs));
      this.close();
    }, timeoutMs);
    this.client.sftp((error, sftp) => (error ? reject(error) : resolve(sftp)));
    try {
      return new Sftp(await promise, this.settings, () => this.close());
    } catch (error) {
      if (error instanceof WeftError) throw error;
      if (!this.isOpen) throw connectionLost(NAME);
      throw new WeftError('action_failed', `The SSH server has no SFTP: ${said(error as Error)}.`, {
        transient: false,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  get isOpen(): boolean {
    return this.sockets.isOpen;
  }

  async settled(): Promise<boolean> {
    await this.work.ended();
    return this.isOpen;
  }

  close(): void {
    this.client.destroy();
    this.sockets.close();
  }
}

/** The ways to sign in, in the order in which they are tried. */
function waysOf({ password, privateKey }: SshSettings): string[] {
  const ways = [
    ...(privateKey === '' ? [] : ['publickey']),
    ...(password === '' ? [] : ['password', 'keyboard-interactive']),
  ];
  return ways.length === 0 ? ['none'] : ways;
}

function keyUnreadable(error: Error): WeftError {
  const reason = said(error).replace('Cannot parse privateKey: ', '');
  return new WeftError(
    'connection_refused',
    `The private key of the connection cannot be read: ${reason}. \`ssh-keygen -p -f key\` writes it in the form of OpenSSH.`,
  );
}
