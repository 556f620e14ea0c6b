import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { FRESH, type LoadRequest, type LoadResult, type LoadSpec } from './load.ts';
import { createResponseReader } from './response-reader.ts';

/**
 * The process that generates the load. Each connection sends a request, waits for the whole response, checks it, and
 * sends the next; with a rate, requests are handed to waiting connections at even times instead.
 */
interface Run {
  readonly spec: LoadSpec;
  readonly sockets: Socket[];
  /** Connections that wait for their turn, if there is a rate. */
  readonly idle: (() => void)[];
  sent: number;
  done: number;
  failed: number;
  firstFailure: string | undefined;
  open: number;
  timeUp: boolean;
  ending: boolean;
  end(): void;
}

/** What this process says of a load: that it sends requests, since its connections are open, and then its result. */
export type Told = { readonly began: true } | { readonly result: LoadResult };

/** Least answers of a round: it waits for them beyond its time, so that a busy moment does not leave it empty. */
const LEAST = 100;

let current: Run | undefined;

process.on('message', (message: { run: LoadSpec } | 'stop') => {
  if (message === 'stop') current?.end();
  else void load(message.run).then((result) => tell({ result }));
});
process.on('disconnect', () => process.exit());

function tell(told: Told): void {
  process.send?.(told);
}

async function load(spec: LoadSpec): Promise<LoadResult> {
  const run: Run = {
    spec,
    sockets: [],
    idle: [],
    sent: 0,
    done: 0,
    failed: 0,
    firstFailure: undefined,
    open: 0,
    timeUp: false,
    ending: false,
    end: () => {},
  };
  current = run;
  const starts = await Promise.all(Array.from({ length: spec.connections }, () => openConnection(run)));
  const cpu = process.cpuUsage();
  const started = performance.now();
  const over = new Promise<number>((resolve) => {
    run.end = () => {
      if (!run.ending) resolve(performance.now() - started);
      run.ending = true;
    };
  });
  const limit = spec.ms === undefined ? undefined : setTimeout(() => (run.timeUp = true), spec.ms);
  for (const start of starts) start();
  const pace = spec.rate === undefined ? undefined : keepPace(run, spec.rate, started);
  tell({ began: true });
  const ms = await over;
  const { done } = run;
  const { user, system } = process.cpuUsage(cpu);
  clearTimeout(limit);
  clearInterval(pace);
  await closeAll(run);
  const { failed, firstFailure } = run;
  return { requests: done, failed, firstFailure, ms, clientCpuMs: (user + system) / 1000 };
}

/** One connection; the result starts it. */
async function openConnection(run: Run): Promise<() => void> {
  const { spec } = run;
  const requests = spec.requests.map((request) => prepare(request, spec));
  let at = run.sockets.length % requests.length;
  let waiting = false;

  const next = (): void => {
    if (run.ending) {
      socket.end();
      return;
    }
    waiting = true;
    run.sent++;
    socket.write((requests[at] as Prepared).bytes());
  };
  const read = createResponseReader((status, body) => {
    waiting = false;
    if (!requests[at]?.fits(status, body)) fail(run, `${status} ${body.toString()}`);
    run.done++;
    if (run.done === spec.count || (run.timeUp && run.done >= LEAST)) run.end();
    if (++at === requests.length) at = 0;
    if (spec.rate === undefined) next();
    else run.idle.push(next);
  });
  const socket = connectTo(spec.port, (piece) => {
    try {
      read(piece);
    } catch (error) {
      fail(run, (error as Error).message);
      socket.destroy();
    }
  });
  run.sockets.push(socket);
  await once(socket, 'connect');
  run.open++;
  socket.on('error', (error) => fail(run, error.message));
  socket.on('close', () => {
    if (waiting && !run.ending) fail(run, 'the connection was closed before the answer');
    if (--run.open === 0) run.end();
  });
  return spec.rate === undefined ? next : () => void run.idle.push(next);
}

/** A socket that always reads into the same buffer. */
function connectTo(port: number, onPiece: (piece: Buffer) => void): Socket {
  const buffer = Buffer.allocUnsafe(64 * 1024);
  const callback = (length: number): boolean => {
    onPiece(buffer.subarray(0, length));
    return true;
  };
  return connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } });
}

function fail(run: Run, why: string): void {
  run.failed++;
  run.firstFailure ??= why;
}

let freshTexts = 0;

/** As long as a UUID, as clients send them. */
function fresh(): string {
  return `${process.pid}-${++freshTexts}`.padStart(36, '0');
}

interface Prepared {
  bytes(): Buffer;
  fits(status: number, body: Buffer): boolean;
}

function prepare(
  { raw, body, exact = true }: LoadRequest,
  { port, status: wantedStatus }: LoadSpec,
): Prepared {
  const wanted = Buffer.from(body);
  const text = raw.replace('\r\n', `\r\nhost: 127.0.0.1:${port}\r\n`);
  const same = Buffer.from(text);
  return {
    bytes: text.includes(FRESH) ? () => Buffer.from(text.replace(FRESH, fresh())) : () => same,
    fits: (status, got) =>
      status === wantedStatus &&
      (exact ? got.length === wanted.length : got.length >= wanted.length) &&
      got.compare(wanted, 0, wanted.length, 0, wanted.length) === 0,
  };
}

const PACE_MS = 2;

/** Sends the requests that are due; if all connections are busy, it catches up later. */
function keepPace(run: Run, rate: number, started: number): NodeJS.Timeout {
  return setInterval(() => {
    const due = ((performance.now() - started) / 1000) * rate;
    while (run.sent < due && run.idle.length > 0) run.idle.shift()?.();
  }, PACE_MS);
}

const CLOSE_LIMIT_MS = 2000;

/** Waits for outstanding answers, so that a server sees no broken connection. */
async function closeAll(run: Run): Promise<void> {
  for (const next of run.idle) next();
  const closed = run.sockets.filter((socket) => !socket.closed);
  const limit = setTimeout(() => {
    for (const socket of closed) socket.destroy();
  }, CLOSE_LIMIT_MS);
  await Promise.all(closed.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  clearTimeout(limit);
}
