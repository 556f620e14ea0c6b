import { chmodSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { spreadLastNet } from '../../base/process/last-net.ts';
import type { Greeting, Told } from './remote-host.ts';
import { localHost, type SandboxHost } from './spawn.ts';

/** Most hosts at once: a server has one for each core, and a few for what has to run apart. */
const MAX_HOSTS = 32;
/** Milliseconds between two reports on what a host uses. */
const REPORT_MS = 50;
/** Milliseconds that the second connection of a host may take, and a first line. */
const GREETING_MS = 5000;
/** Characters of a first line. */
const MAX_GREETING = 1000;

export interface SupervisorOptions {
  /** The Unix socket. */
  readonly path: string;
  say(text: string): void;
}

/** Runs sandbox hosts for servers that connect to its socket. */
export interface Supervisor {
  /** Processes of the current hosts. */
  readonly pids: readonly number[];
  /** Ends all hosts, and removes the socket. */
  close(): Promise<void>;
}

/**
 * SV1. A host belongs to two connections of one server: it starts when both are there, and is killed when either ends. A server that
 *      finds its host silent, or too large, closes them, and connects again for another one; so does the end of a server.
 * SV2. What the supervisor tells comes over a connection that the host cannot write to.
 * SV3. It reads nothing but the first lines: frames go through unread.
 */
export async function supervise({ path, say }: SupervisorOptions): Promise<Supervisor> {
  await removeStale(path);
  const hosts = new Set<SandboxHost>();
  const sockets = new Set<Socket>();
  const waiting = new Map<string, Greeted>();

  function take(greeted: Greeted): void {
    const { token, carries } = greeted.greeting;
    const other = waiting.get(token);
    waiting.delete(token);
    const isFull = hosts.size >= MAX_HOSTS;
    if (isFull || other?.greeting.carries === carries) {
      say(`A connection was refused: ${isFull ? `${MAX_HOSTS} hosts run already` : 'it comes twice'}.`);
      other?.socket.destroy();
      greeted.socket.destroy();
    } else if (other) {
      run(hosts, [other, greeted], say);
    } else {
      waiting.set(token, greeted);
      const leave = (): boolean => waiting.get(token) === greeted && waiting.delete(token);
      greeted.socket.once('close', leave);
      setTimeout(() => leave() && greeted.socket.destroy(), GREETING_MS).unref();
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    greetingOf(socket, take);
  });
  await listen(server, path);
  say(`The sandbox waits for servers at unix:${path}.`);
  return {
    get pids() {
      return [...hosts].flatMap(({ pid }) => pid ?? []);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const host of hosts) host.kill();
        for (const socket of sockets) socket.destroy();
      }),
  };
}

interface Greeted {
  readonly greeting: Greeting;
  readonly socket: Socket;
  /** The bytes after the first line. */
  readonly rest: Buffer;
}

/** Reads the first line, and nothing else; a connection without a proper one is closed. */
function greetingOf(socket: Socket, done: (greeted: Greeted) => void): void {
  let read = Buffer.alloc(0);
  const late = setTimeout(() => socket.destroy(), GREETING_MS).unref();
  const take = (chunk: Buffer): void => {
    read = Buffer.concat([read, chunk]);
    const end = read.indexOf(10);
    if (end < 0 && read.length <= MAX_GREETING) return;
    clearTimeout(late);
    socket.off('data', take).pause();
    const greeting = parsed(read.subarray(0, end).toString());
    if (greeting === undefined) socket.destroy();
    else done({ greeting, socket, rest: read.subarray(end + 1) });
  };
  socket.on('data', take);
  socket.once('close', () => clearTimeout(late));
}

function parsed(text: string): Greeting | undefined {
  try {
    const { token, carries, engine } = JSON.parse(text) as Partial<Record<keyof Greeting, unknown>>;
    const isToken = typeof token === 'string' && /^[0-9a-f]{32}$/.test(token);
    const isKnown =
      (carries === 'frames' || carries === 'control') && (engine === 'isolated-vm' || engine === 'quickjs');
    return isToken && isKnown ? { token, carries, engine } : undefined;
  } catch {
    return undefined;
  }
}

function run(hosts: Set<SandboxHost>, pair: readonly [Greeted, Greeted], say: (text: string) => void): void {
  const [control, frames] = pair[0].greeting.carries === 'control' ? pair : [pair[1], pair[0]];
  const host = localHost(control.greeting.engine);
  hosts.add(host);
  const tell = (told: Told): void => void control.socket.write(`${JSON.stringify(told)}\n`);
  if (host.pid !== undefined) tell({ pid: host.pid });
  let before = -1;
  const report = setInterval(() => {
    const usage = host.usage();
    // A host that does nothing needs no reports.
    if (usage.cpuMs !== before) tell({ usage });
    before = usage.cpuMs;
  }, REPORT_MS);
  host.socket.on('error', () => {});
  host.socket.write(frames.rest);
  frames.socket.pipe(host.socket);
  host.socket.pipe(frames.socket);
  for (const { socket } of pair) socket.once('close', () => host.kill());
  control.socket.resume();
  host.onEnd((lastWords) => {
    clearInterval(report);
    hosts.delete(host);
    if (lastWords !== '') say(lastWords);
    control.socket.end(`${JSON.stringify({ ended: lastWords } satisfies Told)}\n`);
    frames.socket.destroySoon();
  });
}

/** Removes the socket of a killed supervisor; one that runs keeps its socket. */
async function removeStale(path: string): Promise<void> {
  if (statSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return;
  const isUsed = await new Promise<boolean>((resolve) => {
    const socket = connect(path, () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
  if (isUsed) throw new Error(`Another sandbox already waits at ${path}: stop it, or set WEFT_CODE_HOST.`);
  rmSync(path);
}

/** The server's user reaches the socket by its group. */
async function listen(server: Server, path: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  const before = process.umask(0o117);
  server.listen(path, resolve);
  process.umask(before);
  try {
    await promise;
    chmodSync(path, 0o660);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `The socket ${path} cannot be made (${code}): is ${dirname(path)} there, and may this user write it?`,
      {
        cause: error,
      },
    );
  }
}

/** Milliseconds in which it closes. */
const CLOSING_MS = 5000;
const ADDRESS = /^unix:(\/.+)$/;

/** `node server/code-host.js`: the sandbox as a process of its own, at the address of `WEFT_CODE_HOST`. */
export async function main(): Promise<void> {
  const say = (text: string): void => void process.stderr.write(`${text.trimEnd()}\n`);
  const path = ADDRESS.exec(process.env['WEFT_CODE_HOST'] ?? '')?.[1];
  if (path === undefined) {
    say('WEFT_CODE_HOST must be the address of the socket to make, like unix:/run/weft/code.sock.');
    process.exitCode = 1;
    return;
  }
  try {
    const speak = (fields: object, message: string): void => say(`${message} ${JSON.stringify(fields)}`);
    const net = spreadLastNet({ error: speak, fatal: speak });
    const supervisor = await supervise({ path, say });
    net.endBy({ stop: () => supervisor.close(), withinMs: CLOSING_MS });
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.once(signal, () => void supervisor.close().then(() => process.exit(0)));
  } catch (error) {
    say((error as Error).message);
    process.exitCode = 1;
  }
}
