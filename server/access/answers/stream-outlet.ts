import type { ServerResponse } from 'node:http';
import type { ErrorBody } from '../http/envelope.ts';
import type { StreamLimits } from '../http/stream-limits.ts';
import type { StreamFormat } from './stream-format.ts';

/** The client's end of a streamed answer. */
export interface StreamOutlet {
  /** The client has closed its connection. */
  readonly gone: boolean;
  /**
   * Sends a chunk. Returns a promise if the next one has to wait: for the client, or for other work of the event
   * loop.
   */
  write(chunk: string | Uint8Array): Promise<void> | undefined;
  /** Call it for input that produces no output: the producer is not stuck. */
  alive(): void;
  end(): void;
  /** Ends it so that the client notices the missing part. */
  fail(body: () => ErrorBody): void;
}

/** The longest that items available at once may block others, including their own way to the socket. */
const TURN_MS = 1;

/** `gone` is called when the client leaves, `stalled` when a limit is reached; the outlet is usable after both. */
export function createStreamOutlet(
  raw: ServerResponse,
  format: Pick<StreamFormat, 'failure' | 'ping'>,
  limits: StreamLimits,
  on: { gone(): void; stalled(): void },
): StreamOutlet {
  let over = false;
  let turnBegan = performance.now();

  const ping = setTimeout(() => {
    if (format.ping !== undefined && !raw.writableNeedDrain) raw.write(format.ping);
    ping.refresh();
  }, limits.pingMs);
  const stall = (): void => {
    on.stalled();
    // A client that accepts no data would not accept an error either.
    if (raw.writableNeedDrain) raw.destroy();
  };
  const idle = setTimeout(() => {
    if (limits.ownTime === true && !raw.writableNeedDrain) idle.refresh();
    else stall();
  }, limits.idleMs);
  const total = limits.ownTime === true ? undefined : setTimeout(stall, limits.totalMs);

  function close(): void {
    over = true;
    for (const timer of [ping, idle, total]) clearTimeout(timer);
  }

  function write(chunk: string | Uint8Array): Promise<void> | undefined {
    ping.refresh();
    idle.refresh();
    if (chunk.length > 0 && !raw.write(chunk)) return drained(raw);
    const now = performance.now();
    if (now - turnBegan < TURN_MS) return undefined;
    return nextTurn().then((at) => {
      turnBegan = at;
    });
  }

  raw.on('error', () => {});
  raw.once('close', () => {
    if (over) return;
    on.gone();
  });

  return {
    get gone() {
      return raw.destroyed;
    },
    write,
    alive: () => void idle.refresh(),
    end() {
      close();
      raw.end();
    },
    fail(body) {
      close();
      if (raw.destroyed) return;
      if (format.failure) raw.end(format.failure(body()));
      else raw.socket?.destroySoon();
    },
  };
}

/** Resolves when the client has accepted the sent bytes, or has gone. */
function drained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      raw.off('drain', done).off('close', done);
      resolve();
    };
    raw.once('drain', done).once('close', done);
    if (raw.destroyed) done();
  });
}

function nextTurn(): Promise<number> {
  return new Promise((resolve) => {
    setImmediate(() => resolve(performance.now()));
  });
}
