import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import ssh2, { type AuthContext, type Connection, type Session } from 'ssh2';
import { onTestFinished } from 'vitest';
import { hostKeyOf } from '../failures.ts';
import { serveFiles } from './sftp-server.ts';

export interface SshOptions {
  /** What SFTP shows as `/`; undefined: it has no SFTP. */
  readonly folder?: string;
  /** The ways to sign in; by default a password. */
  readonly ways?: readonly ('password' | 'keyboard-interactive' | 'publickey')[];
  /** The public key of the user. */
  readonly key?: string;
  /** It closes channels without saying how their commands ended. */
  readonly isTerse?: boolean;
  /** Commands are refused. */
  readonly refuses?: boolean;
  /** Bytes of the largest answer to a read. */
  readonly readBytes?: number;
  /** Reads get no answer; called with each. */
  readonly mute?: () => void;
  /** Nothing gets an answer after the sign-in. */
  readonly isDeaf?: boolean;
  /** Lists say nothing but names. */
  readonly isVague?: boolean;
  /** It resolves no links where it is asked for the real path. */
  readonly isLexical?: boolean;
  readonly hostKey?: KeyPairReturn;
  /** Another key that it may show. */
  readonly otherKey?: KeyPairReturn;
}

type KeyPairReturn = ReturnType<typeof ssh2.utils.generateKeyPairSync>;

/** Of the keys that ssh2 makes, it cannot read a few. */
export function makeKey(locked?: { passphrase: string; cipher: string; rounds: number }): KeyPairReturn {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519', locked as never);
    if (!(ssh2.utils.parseKey(pair.private, locked?.passphrase) instanceof Error)) return pair;
  }
}

/** The fingerprint of a public key. */
export function fingerprintOf(publicKey: string): string {
  return hostKeyOf(Buffer.from(publicKey.split(' ')[1] ?? '', 'base64')).fingerprint;
}

/** An SSH server by the authors of ssh2, with one user, `ada`, whose password is `right`; it ends with the test. */
export async function startSsh(options: SshOptions = {}) {
  const hostKey = options.hostKey ?? makeKey();
  const connections = new Set<Connection>();
  const signIns: string[] = [];
  const hostKeys = [hostKey, ...(options.otherKey ? [options.otherKey] : [])].map((key) => key.private);
  const server = new ssh2.Server({ hostKeys }, (connection) => {
    connections.add(connection);
    connection
      .on('close', () => connections.delete(connection))
      .on('error', () => {})
      .on('authentication', (attempt) => {
        signIns.push(attempt.method);
        admit(attempt, options);
      })
      .on('session', (accept) => options.isDeaf !== true && serve(accept(), options));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const stop = (): void => {
    for (const connection of connections) connection.end();
    server.close();
  };
  onTestFinished(stop);
  const { port } = server.address() as AddressInfo;
  const settings = {
    host: '127.0.0.1',
    port,
    user: 'ada',
    password: 'right',
    fingerprint: fingerprintOf(hostKey.public),
  };
  return { port, settings, connections, signIns, hostKey, stop };
}

function admit(attempt: AuthContext, { ways = ['password'], key }: SshOptions): void {
  const refuse = (): void => attempt.reject([...ways]);
  if (attempt.username !== 'ada' || !ways.some((way) => way === attempt.method)) return refuse();
  if (attempt.method === 'password') return attempt.password === 'right' ? attempt.accept() : refuse();
  if (attempt.method === 'keyboard-interactive')
    return attempt.prompt([{ prompt: 'Password: ', echo: false }], ([answer]) =>
      answer === 'right' ? attempt.accept() : refuse(),
    );
  if (attempt.method !== 'publickey') return refuse();
  const known = ssh2.utils.parseKey(key ?? '');
  if (known instanceof Error || !known.getPublicSSH().equals(attempt.key.data)) return refuse();
  const { signature, blob = Buffer.alloc(0) } = attempt;
  if (signature !== undefined && known.verify(blob, signature, attempt.hashAlgo) !== true) return refuse();
  attempt.accept();
}

function serve(
  session: Session,
  { folder, isTerse = false, refuses = false, readBytes, mute, isVague, isLexical }: SshOptions,
): void {
  if (folder !== undefined)
    session.on('sftp', (accept) => serveFiles(accept(), { folder, readBytes, mute, isVague, isLexical }));
  session.on('exec', (accept, reject, { command }) => {
    if (refuses) return reject();
    const channel = accept();
    // It would hear no signal once the input has ended; OpenSSH does.
    Object.defineProperty(session, '_ending', { get: () => false, set() {} });
    const child = spawn('sh', ['-c', command], { detached: true });
    session.on('signal', (_accept, _reject, { name }) => {
      process.kill(-(child.pid as number), `SIG${name}` as NodeJS.Signals);
    });
    channel.on('error', () => {});
    child.stdin.on('error', () => {});
    channel.pipe(child.stdin);
    child.stdout.pipe(channel, { end: false });
    child.stderr.pipe(channel.stderr, { end: false });
    child.on('close', (code, signal) => {
      if (!isTerse && code !== null) channel.exit(code);
      else if (!isTerse) channel.exit(String(signal).replace('SIG', ''));
      channel.close();
    });
  });
}
