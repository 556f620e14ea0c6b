import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { z } from 'zod';
import { type Engine, type SandboxHost, type StartHost, unknownUsage, type Usage } from './spawn.ts';

/** The first line of both connections of a host, by which the supervisor knows that they belong together. */
export interface Greeting {
  /** Random. */
  readonly token: string;
  /** `frames` are those of `host/wire.js`; `control` has lines from the supervisor. */
  readonly carries: 'frames' | 'control';
  readonly engine: Engine;
}

const amount = z.number().nonnegative();

/** A line of the supervisor about the host. `ended`: it is gone, and both connections end. */
const Told = z.union([
  z.strictObject({ pid: z.int().positive() }),
  z.strictObject({ usage: z.strictObject({ residentMb: amount, cpuMs: amount }) }),
  z.strictObject({ ended: z.string().max(4000) }),
]);
export type Told = z.infer<typeof Told>;

/** Characters of such a line. */
const MAX_LINE = 32_000;
/** Milliseconds until a supervisor has to have started a host. */
const ANSWER_MS = 10_000;

/**
 * Hosts that a supervisor runs (`supervisor.ts`), behind a Unix socket: in a container of their own they share neither user nor
 * network with this server. Closing the connections ends a host. `answerMs`: milliseconds until the supervisor has to answer.
 *
 * RV1. The supervisor has the same user as code that broke out of a host. Its words are checked; a wrong one closes the connections.
 */
export function remoteHosts(path: string, answerMs = ANSWER_MS): StartHost {
  return (engine) => new RemoteHost(path, engine, answerMs);
}

class RemoteHost implements SandboxHost {
  readonly isApart = true;
  readonly socket: Socket;
  pid: number | undefined = undefined;
  private readonly control: Socket;
  private readonly path: string;
  private readonly late: NodeJS.Timeout;
  private now: Usage = unknownUsage;
  private lastWords = '';

  constructor(path: string, engine: Engine, answerMs: number) {
    this.path = path;
    const token = randomBytes(16).toString('hex');
    this.control = this.open({ token, carries: 'control', engine });
    this.socket = this.open({ token, carries: 'frames', engine });
    this.late = setTimeout(() => this.giveUp(`has not answered within ${answerMs} ms.`), answerMs).unref();
    this.control.once('close', () => clearTimeout(this.late));
    readLines(this.control, (line) => this.hear(line));
  }

  usage(): Usage {
    return this.now;
  }

  kill(): void {
    this.control.destroy();
    this.socket.destroy();
  }

  hold(isHeld: boolean): void {
    for (const one of [this.control, this.socket]) one[isHeld ? 'ref' : 'unref']();
  }

  onEnd(ended: (lastWords: string) => void): void {
    let open = 2;
    for (const one of [this.control, this.socket])
      one.once('close', () => {
        this.kill();
        open -= 1;
        if (open === 0) ended(this.lastWords);
      });
  }

  private open(greeting: Greeting): Socket {
    const socket = connect(this.path);
    socket.write(`${JSON.stringify(greeting)}\n`);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.lastWords ||= `The sandbox at unix:${this.path} cannot be reached (${error.code}): is it running, and may this user open its socket?`;
    });
    return socket;
  }

  /** `undefined` is a line that is too long. */
  private hear(line: string | undefined): void {
    const told = Told.safeParse(line === undefined ? undefined : parsed(line));
    if (!told.success) this.giveUp('sent something forbidden.');
    else if ('pid' in told.data) this.start(told.data.pid);
    else if ('usage' in told.data) this.now = told.data.usage;
    else this.lastWords ||= told.data.ended;
  }

  private start(pid: number): void {
    clearTimeout(this.late);
    this.pid = pid;
  }

  private giveUp(why: string): void {
    this.lastWords ||= `The sandbox at unix:${this.path} ${why}`;
    this.kill();
  }
}

/** Lines of a connection, until it is destroyed; undefined in place of one that is too long. */
function readLines(socket: Socket, take: (line: string | undefined) => void): void {
  let rest = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) lines.push(rest);
    for (const line of lines) {
      if (socket.destroyed) return;
      take(line.length > MAX_LINE ? undefined : line);
    }
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
