import type { Client, ClientChannel } from 'ssh2';
import { WeftError } from '#engine';
import { connectionLost } from '../../servers.ts';
import { said } from './failures.ts';

export interface Command {
  readonly command: string;
  readonly stdin: string;
  /** Of both outputs together. */
  readonly maxBytes: number;
}

/** How a command ended. */
export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  /** Null if a signal ended it, or if the server does not say. */
  readonly code: number | null;
  /** The name of the signal that ended it, such as SIGTERM. */
  readonly signal: string | null;
}

interface Bounds {
  readonly signal: AbortSignal;
  /** Closes the connection. */
  cut(): void;
  isOpen(): boolean;
}

/** How long a command may take to end after each signal, in milliseconds. */
const GRACE_MS = 2000;
/** The most characters of the name of a signal. */
const MOST_NAME = 40;

/**
 * Executes a command. It has ended when the promise is settled: if the signal aborts, the command is asked to end (TERM), then
 * ended (KILL), then its connection is cut.
 */
export async function execute(
  client: Client,
  { command, stdin, maxBytes }: Command,
  { signal, cut, isOpen }: Bounds,
): Promise<Ran> {
  signal.throwIfAborted();
  if (!isOpen()) throw connectionLost('The SSH server');
  const output = new Output(maxBytes, () => stopping.begin());
  const send = (name: string): void => sendSignal(client, output.channel, name);
  const stopping = inSteps([() => send('TERM'), () => send('KILL'), cut]);
  signal.addEventListener('abort', stopping.begin, { once: true });
  try {
    const ended = await begun(client, command, output, isOpen);
    // It may have aborted while the command began, when there was nothing to signal.
    if (signal.aborted) send('TERM');
    output.channel?.end(signal.aborted ? '' : stdin);
    const { code, name, isSaid } = await ended.promise;
    signal.throwIfAborted();
    if (output.isOver) throw tooMuch(maxBytes);
    if (!isSaid && !isOpen()) throw connectionLost('The SSH server');
    return { ...output.texts(), code, signal: name };
  } finally {
    signal.removeEventListener('abort', stopping.begin);
    stopping.end();
  }
}

interface End {
  readonly code: number | null;
  readonly name: string | null;
  /** Whether the server said how it ended. */
  readonly isSaid: boolean;
}

/** Begins a command; its end is a field, so that the caller waits for it apart. Its answers may come in the same packet. */
function begun(
  client: Client,
  command: string,
  output: Output,
  isOpen: () => boolean,
): Promise<{ readonly promise: Promise<End> }> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (!error) resolve({ promise: endOf(channel, output) });
      else if (!isOpen()) reject(connectionLost('The SSH server'));
      else reject(new WeftError('action_failed', `The SSH server refused the command: ${said(error)}.`));
    });
  });
}

function endOf(channel: ClientChannel, output: Output): Promise<End> {
  output.channel = channel;
  return new Promise((resolve) => {
    let end: End = { code: null, name: null, isSaid: false };
    channel.on('data', (piece: Buffer) => output.add('stdout', piece));
    channel.stderr.on('data', (piece: Buffer) => output.add('stderr', piece));
    channel.on('exit', (code: number | null, name?: string) => {
      end = { code, name: name?.slice(0, MOST_NAME) ?? null, isSaid: true };
    });
    // A command may end without reading what it gets.
    channel.on('error', () => {});
    channel.on('close', () => setImmediate(() => resolve(end)));
  });
}

/** What a command writes, up to the limit. */
class Output {
  channel: ClientChannel | undefined;
  private readonly pieces = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  private left: number;
  private readonly onOver: () => void;

  constructor(maxBytes: number, onOver: () => void) {
    this.left = maxBytes;
    this.onOver = onOver;
  }

  get isOver(): boolean {
    return this.left < 0;
  }

  add(to: 'stdout' | 'stderr', piece: Buffer): void {
    if (this.isOver) return;
    this.left -= piece.length;
    if (this.isOver) this.onOver();
    else this.pieces[to].push(piece);
  }

  texts(): Pick<Ran, 'stdout' | 'stderr'> {
    const text = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString('utf8');
    return { stdout: text(this.pieces.stdout), stderr: text(this.pieces.stderr) };
  }
}

function tooMuch(maxBytes: number): WeftError {
  return new WeftError(
    'value_too_large',
    `The command wrote more than ${maxBytes} bytes, and was ended; raise \`maxBytes\`, or let it write less.`,
  );
}

/** Takes one step after the other until it is ended. */
function inSteps(steps: (() => void)[]): { begin(): void; end(): void } {
  let isBegun = false;
  let timer: NodeJS.Timeout | undefined;
  const next = (): void => {
    steps.shift()?.();
    if (steps.length > 0) timer = setTimeout(next, GRACE_MS);
  };
  return {
    begin() {
      if (!isBegun) next();
      isBegun = true;
    },
    end() {
      isBegun = true;
      clearTimeout(timer);
    },
  };
}

/** ssh2 itself sends none to a command whose input has ended. */
function sendSignal(client: Client, channel: ClientChannel | undefined, name: string): void {
  if (channel === undefined) return;
  const { _protocol: protocol } = client as unknown as {
    readonly _protocol?: { signal(id: number, name: string): void };
  };
  const { outgoing } = channel as unknown as { readonly outgoing: { readonly id: number } };
  protocol?.signal(outgoing.id, name);
}
