import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long a client may accept nothing of the data waiting for it, in milliseconds. */
const STALL_MS = 60_000;

/** Requests of a connection that wait for the answers before them. */
const waiting = new WeakMap<Socket, number>();

/**
 * Executes the requests of one connection one after the other: the next begins when the client has received the answer before it.
 * Until then nothing more is read from the connection. A client that sends many requests at once and reads nothing makes the server
 * hold one answer, not all.
 */
export function inTurn(listener: RequestListener): RequestListener {
  return (request, response) => {
    // Node assigns the connection to an answer when those before it are sent.
    if (response.socket === null) waitForTurn(request, response, listener);
    else listener(request, response);
  };
}

function waitForTurn(request: IncomingMessage, response: ServerResponse, listener: RequestListener): void {
  const { socket } = request;
  waiting.set(socket, (waiting.get(socket) ?? 0) + 1);
  socket.pause();
  response.once('socket', () => {
    const left = (waiting.get(socket) ?? 1) - 1;
    waiting.set(socket, left);
    if (left === 0) socket.resume();
    listener(request, response);
  });
}

/** State of a connection that Node keeps internal: the bytes that the system has not accepted yet. */
interface Handle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

interface Progress {
  /** Bytes that the system has accepted for the client. */
  taken: number;
  since: number;
}

/** Ends connections whose client accepts none of the waiting data for `stallMs`. */
export function endStalled(server: Server, stallMs: number = STALL_MS): void {
  const open = new Map<Socket, Progress>();
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    const now = performance.now();
    for (const [socket, progress] of open) if (isStalled(socket, progress, now, stallMs)) socket.destroy();
  }

  server.on('connection', (socket: Socket) => {
    open.set(socket, { taken: 0, since: performance.now() });
    timer ??= setInterval(look, stallMs / 4).unref();
    socket.once('close', () => {
      open.delete(socket);
      if (open.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
  });
}

function isStalled(socket: Socket, progress: Progress, now: number, stallMs: number): boolean {
  const handle = (socket as { readonly _handle?: Partial<Handle> | null })._handle;
  const { writeQueueSize: left = 0, bytesWritten = 0 } = handle ?? {};
  const taken = bytesWritten - left;
  if (left === 0 || taken !== progress.taken) {
    progress.taken = taken;
    progress.since = now;
  }
  return now - progress.since >= stallMs;
}
