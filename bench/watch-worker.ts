import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { clientFrame, createFrameReader, opcodes } from './frame-reader.ts';
import type { WatchResult, WatchSpec } from './watchers.ts';

/**
 * The process of the watchers: bare sockets, since a websocket library here would be busier than the server. Each reads
 * the sequence number of every event.
 */
interface Watcher {
  /** Sequence number of the last event. */
  seq: number;
  /** The first failure. */
  failure: string | undefined;
  /** Whether it has received the end of the run. */
  whole: boolean;
  readonly closed: Promise<unknown>;
}

const BUFFER_BYTES = 64 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const SEQ = Buffer.from('"seq":');
const RUN_FINISHED = Buffer.from('"kind":"run-finished"');
const LAST_BYTES = 1000;
const ZERO = 48;

let watchers: Watcher[] = [];
const seen = { messages: 0, frames: 0, lastAt: 0 };

process.on('message', (message: { open: WatchSpec } | 'finish') => {
  const answer = message === 'finish' ? finish() : openAll(message.open);
  answer.then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());

/** Small enough that the server's queue of new connections is never full. */
const GROUP = 50;

async function openAll(spec: WatchSpec): Promise<object> {
  watchers = [];
  while (watchers.length < spec.watchers) {
    const count = Math.min(GROUP, spec.watchers - watchers.length);
    watchers.push(...(await Promise.all(Array.from({ length: count }, () => openOne(spec)))));
  }
  return {};
}

async function finish(): Promise<WatchResult> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  Object.assign(seen, { messages: 0, frames: 0 });
  await Promise.all(watchers.map(({ closed }) => closed));
  const { user, system } = process.cpuUsage(cpu);
  const failures = watchers.flatMap(failureOf);
  const { messages, frames, lastAt } = seen;
  return {
    messages,
    frames,
    ms: lastAt - started,
    failed: failures.length,
    firstFailure: failures[0],
    clientCpuMs: (user + system) / 1000,
  };
}

function failureOf({ failure, whole, seq }: Watcher): string[] {
  if (failure !== undefined) return [failure];
  return whole ? [] : [`the connection ended after event ${seq}, before the end of the run`];
}

async function openOne(spec: WatchSpec): Promise<Watcher> {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let read: (piece: Buffer) => void = () => {};
  const callback = (length: number): boolean => {
    read(buffer.subarray(0, length));
    return true;
  };
  const socket = connect({
    port: spec.port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer, callback },
  });
  const watcher: Watcher = { seq: 0, failure: undefined, whole: false, closed: once(socket, 'close') };
  socket.on('error', (error) => (watcher.failure ??= error.message));
  const frames = createFrameReader((opcode, payload) => take(watcher, socket, opcode, payload));
  await new Promise<void>((resolve, reject) => {
    read = (piece) => {
      const end = piece.indexOf(HEAD_END);
      const head = piece.toString('latin1', 0, end);
      if (end < 0 || !head.startsWith('HTTP/1.1 101 ')) reject(new Error(`No websocket: ${String(piece)}`));
      read = frames;
      frames(piece.subarray(end + HEAD_END.length));
      resolve();
    };
    socket.once('close', () => reject(new Error(watcher.failure ?? 'The server closed the connection.')));
    socket.write(upgradeRequest(spec));
  });
  return watcher;
}

function upgradeRequest({ port, run, headers }: WatchSpec): string {
  const head = [
    `GET /api/v1/runs/${run}/stream HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n`;
}

function take(watcher: Watcher, socket: Socket, opcode: number, payload: Buffer): void {
  if (opcode === opcodes.text) readEvents(watcher, payload);
  else if (opcode === opcodes.ping) socket.write(clientFrame(opcodes.pong, payload));
  else if (opcode === opcodes.close) socket.end(clientFrame(opcodes.close, payload.subarray(0, 2)));
  else watcher.failure ??= `a frame of kind ${opcode}`;
}

/**
 * Reads without parsing: that would cost more than sending costs the server. A gap has no `seq`, so the next event
 * reveals it.
 */
function readEvents(watcher: Watcher, payload: Buffer): void {
  let at = payload.indexOf(SEQ);
  for (; at >= 0; at = payload.indexOf(SEQ, at)) {
    at += SEQ.length;
    const seq = numberAt(payload, at);
    if (seq !== watcher.seq + 1) watcher.failure ??= `event ${seq} came after ${watcher.seq}`;
    watcher.seq = seq;
    seen.messages++;
  }
  seen.frames++;
  seen.lastAt = performance.now();
  // The last event is a short one.
  watcher.whole ||= payload.includes(RUN_FINISHED, -LAST_BYTES);
}

function numberAt(bytes: Buffer, start: number): number {
  let value = 0;
  for (let at = start; ; at++) {
    const digit = (bytes[at] as number) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return value;
    value = value * 10 + digit;
  }
}
