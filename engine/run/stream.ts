import { WeftError } from '../base/errors.ts';
import { END, ItemStream, PENDING } from '../base/item-stream.ts';
import { messageOf } from './retry.ts';
import type { Attempt } from './state.ts';

/** How many items a consumer may be behind before its producer must wait. */
export const BUFFER = 64;

/** Decides when the streams of a run move (`streams.ts`). */
export interface StreamPace {
  readonly paused: boolean;
  /** How many streams are polling each other right now. */
  depth: number;
  readonly isDeep: boolean;
  /** Whether a producer may be polled in this turn. */
  mayPull(): boolean;
  /** Calls `fn` in this turn, after the current work. */
  later(fn: () => void): void;
}

/** The events that a stream reports to its run. */
export interface StreamHost {
  readonly pace: StreamPace;
  item(source: StreamSource, item: unknown): void;
  /** The stream has ended, failed or was stopped; `ending` is then the end of what still runs. Called once. */
  ended(source: StreamSource, how: { error: unknown; stopped: boolean }): void;
  ending(source: StreamSource, ending: Promise<unknown>): void;
  /** A consumer starts to wait; `held` if another consumer's full buffer is the reason. */
  waits(held: boolean): void;
  /** A producer came to rest, or a consumer is gone: the others may wait for each other now. */
  changed(): void;
}

/**
 * A stream between nodes: one producer, pulled on demand, any number of readers.
 *
 * S1. Every reader gets every item; one that has not started yet counts.
 * S2. The producer is asked for an item only if a reader wants one and no reader is further behind than its limit. An item
 *     goes directly to the reader that asked, and into the buffers of the others.
 * S3. A failure of the producer is thrown at each reader's next pull after the earlier items.
 * S4. When all readers are done or gone, the producer is asked to stop at once.
 * S5. A reader that waits is woken: by the producer (`awaited`), by the slower reader (`held`), or by the pace (`paused`).
 */
export class StreamSource {
  readonly call: Attempt;
  readonly port: string;
  readonly readers: Reader[] = [];
  /** Waits for its producer. */
  awaited = false;
  /** Waits for its slowest reader. */
  held = false;
  ended = false;
  error: unknown = undefined;
  count = 0;
  /** How many readers are as far behind as they may be. */
  full = 0;
  /** The producer was polled last and had nothing. */
  private isDry = false;
  private readonly stream: ItemStream;
  readonly #host: StreamHost;

  /** `readers` is at least 1; each may be up to `limit` items behind. */
  constructor(
    from: { call: Attempt; port: string; stream: ItemStream },
    readers: { count: number; limit: number },
    host: StreamHost,
  ) {
    this.call = from.call;
    this.port = from.port;
    this.stream = from.stream;
    this.#host = host;
    for (let i = 0; i < readers.count; i++) this.readers.push(new Reader(this, readers.limit));
  }

  /** Uses a private name, since `instanceof` would touch a proxy that an operator returned. */
  static is(value: unknown): value is StreamSource {
    return typeof value === 'object' && value !== null && #host in value;
  }

  get pace(): StreamPace {
    return this.#host.pace;
  }

  /** Its producer can continue only when another stream of the run continues. */
  get isHeldUp(): boolean {
    return this.stream.isHeldUp;
  }

  /** `node.port`. */
  get name(): string {
    return `${this.call.node}.${this.port}`;
  }

  /** Takes the result of the poll that made the output count as emitted. */
  start(first: unknown): void {
    if (first === END) this.finish(undefined, false);
    else this.give(first, undefined);
  }

  /** A reader that is not taken yet; `to` is the input that it feeds. */
  take(to: string): Reader {
    const reader = this.readers.find((one) => one.to === undefined);
    if (!reader) throw new WeftError('stream_not_read', `The stream of ${this.name} has no reader left.`);
    reader.to = to;
    return reader;
  }

  /** Splits one reader that is not taken yet into `count` (a disabled step passes its stream on). */
  fork(count: number): void {
    if (count === 0) this.skipReader();
    const reader = this.readers.find((one) => one.to === undefined);
    for (let i = 1; i < count && reader; i++) this.readers.push(reader.copy());
  }

  /** A consumer that will never come (its step was skipped). */
  skipReader(): void {
    this.readers.find((one) => one.to === undefined)?.close();
  }

  /** Stops the producer, even if it still has readers; these throw `reason`. */
  cancel(reason?: WeftError): void {
    if (this.ended) return;
    this.finish(reason, true);
    const ending = this.stream.close();
    if (ending) this.#host.ending(this, ending);
  }

  drop(reader: Reader): void {
    this.readers.splice(this.readers.indexOf(reader), 1);
    if (this.readers.length === 0) return this.cancel();
    this.release();
    this.#host.changed();
  }

  /** The item for a reader whose buffer is empty. */
  poll(reader: Reader): unknown {
    if (this.ended) return reader.atEnd();
    const item = this.pull();
    if (item === PENDING) return PENDING;
    if (item === END) return reader.atEnd();
    this.give(item, reader);
    return item;
  }

  /** A reader waits whose poll found nothing. */
  wait(): void {
    if (!this.awaited && !this.held && !this.pace.paused) this.await();
    this.#host.waits(this.held);
  }

  /** Makes a producer that works without a waiting reader report when it comes to rest: it may read other streams until then. */
  watch(): void {
    if (this.isDry && !this.awaited && this.stream.isBusy) this.await();
  }

  /** A consumer was woken, and may come to rest without waiting for this stream again. */
  woken(): void {
    this.#host.changed();
  }

  private await(): void {
    // Since that poll, a slower reader may have made room.
    if (!this.isDry) return this.wake();
    this.awaited = true;
    this.stream.whenReady(this.resume);
  }

  /** A slow reader made room, or is gone. */
  release(): void {
    if (!this.held || this.full > 0) return;
    this.held = false;
    this.wake();
  }

  /** Wakes the waiting readers. */
  wake(): void {
    for (const reader of this.readers) reader.rouse();
  }

  /**
   * The producer may have an item. It is taken for the waiting readers before they are woken, so that a long chain moves
   * once.
   */
  private readonly resume = (): void => {
    this.awaited = false;
    if (this.ended) return;
    if (!this.readers.some((reader) => reader.waits)) {
      this.isDry = false;
      return this.#host.changed();
    }
    const item = this.pull();
    if (item === PENDING) this.wait();
    else if (item !== END) this.give(item, undefined);
  };

  private give(item: unknown, except: Reader | undefined): void {
    this.count++;
    this.#host.item(this, item);
    const { readers } = this;
    if (readers.length === 1 && except !== undefined) return;
    for (const reader of readers) if (reader !== except) reader.push(item);
  }

  private pull(): unknown {
    const { pace } = this;
    if (this.awaited) return PENDING;
    this.isDry = false;
    if (this.isTooFarBehind() || !pace.mayPull()) return PENDING;
    if (pace.isDeep) {
      this.awaited = true;
      pace.later(this.resume);
      return PENDING;
    }
    const item = this.ask(pace);
    if (this.ended) return END;
    if (item === END) this.finish(undefined, false);
    return item;
  }

  private ask(pace: StreamPace): unknown {
    this.awaited = true;
    pace.depth++;
    try {
      const item = this.stream.poll();
      this.isDry = item === PENDING;
      return item;
    } catch (error) {
      if (!this.ended) this.finish(error ?? new WeftError('node_failed', 'The stream failed.'), false);
      return END;
    } finally {
      pace.depth--;
      this.awaited = false;
    }
  }

  private isTooFarBehind(): boolean {
    this.held = this.full > 0;
    return this.held;
  }

  private finish(error: unknown, stopped: boolean): void {
    this.ended = true;
    this.error = error;
    this.wake();
    this.#host.ended(this, { error, stopped });
  }
}

/** How many taken items a buffer keeps before it is compacted. */
const MAX_GONE = 1024;

/** One consumer's view of a stream; can be read once. */
export class Reader extends ItemStream {
  /** `node.port` of the input that it feeds, once that node has started. */
  to: string | undefined = undefined;
  /** How many items it may be behind. */
  private room: number;
  readonly source: StreamSource;
  private items: unknown[] = [];
  private head = 0;
  private waiter: (() => void) | undefined = undefined;
  /** Its consumer will be woken soon. */
  private isRoused = false;
  private closed = false;
  #told = false;

  constructor(source: StreamSource, limit: number) {
    super();
    this.source = source;
    this.room = limit;
  }

  /** Like `StreamSource.is`. */
  static isReader(value: unknown): value is Reader {
    return typeof value === 'object' && value !== null && #told in value;
  }

  get limit(): number {
    return this.room;
  }

  /** Lets it fall further behind. */
  grow(limit: number): void {
    if (this.isFull && limit > this.room) this.source.full--;
    this.room = limit;
    this.source.release();
  }

  get isFull(): boolean {
    return this.items.length - this.head >= this.room;
  }

  get waits(): boolean {
    return this.waiter !== undefined;
  }

  poll(): unknown {
    if (this.head < this.items.length) return this.shift();
    return this.closed ? END : this.source.poll(this);
  }

  whenReady(wake: () => void): void {
    this.waiter = wake;
    this.source.wait();
  }

  close(): undefined {
    if (this.closed) return;
    this.closed = true;
    if (this.isFull) this.source.full--;
    this.to ??= '';
    this.items = [];
    this.head = 0;
    this.rouse();
    this.source.drop(this);
  }

  copy(): Reader {
    const twin = new Reader(this.source, this.room);
    twin.items = this.items.slice(this.head);
    if (twin.isFull) this.source.full++;
    return twin;
  }

  push(item: unknown): void {
    this.items.push(item);
    if (this.isFull) this.source.full++;
    this.rouse();
  }

  /** Wakes its consumer, if it waits. */
  rouse(): void {
    if (this.waiter === undefined || this.isRoused) return;
    this.isRoused = true;
    this.source.pace.later(this.wake);
  }

  /** The result after the last item: the failure, once, or the end. */
  atEnd(): typeof END {
    const { error, call } = this.source;
    if (error === undefined || this.#told) return END;
    this.#told = true;
    throw viaError(error, call.node);
  }

  private readonly wake = (): void => {
    const { waiter } = this;
    this.waiter = undefined;
    this.isRoused = false;
    waiter?.();
    this.source.woken();
  };

  private shift(): unknown {
    const { items } = this;
    if (this.isFull) this.source.full--;
    const item = items[this.head];
    items[this.head++] = undefined;
    if (this.head === items.length) {
      items.length = 0;
      this.head = 0;
    } else if (this.head === MAX_GONE) {
      items.splice(0, MAX_GONE);
      this.head = 0;
    }
    if (this.source.held) this.source.release();
    return item;
  }
}

function viaError(error: unknown, producer: string): WeftError {
  if (error instanceof WeftError) {
    const { code, message, field, data, transient } = error;
    return new WeftError(code, message, { field, data, transient, via: error.via ?? producer });
  }
  return new WeftError('node_failed', messageOf(error), { via: producer });
}
