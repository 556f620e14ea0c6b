import { WeftError } from '../errors.ts';
import { END, ItemStream } from '../item-stream.ts';
import { messageOf } from './error.ts';
import type { StreamSource } from './stream.ts';

/** Places of taken items that a buffer keeps before it is moved together. */
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
  /** Its consumer will be woken in a moment. */
  private isRoused = false;
  private closed = false;
  #told = false;

  constructor(source: StreamSource, limit: number) {
    super();
    this.source = source;
    this.room = limit;
  }

  /** As `StreamSource.is`. */
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

  /** Wakes its consumer, if that waits. */
  rouse(): void {
    if (this.waiter === undefined || this.isRoused) return;
    this.isRoused = true;
    this.source.pace.later(this.wake);
  }

  /** What comes behind the last item: the failure, once, or the end. */
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
