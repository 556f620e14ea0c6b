import { LEFT_OUT } from '../base/item-loop.ts';
import { isPromise } from '../base/is-promise.ts';
import { END, ItemStream, PENDING } from '../base/item-stream.ts';
import type { ItemEnd } from './outputs.ts';
import { runItem, tooManyItems } from './items.ts';
import type { Attempt } from './state.ts';
import type { Reader } from './stream.ts';

/** An item in progress, or one whose end waits for the ends before it. */
interface Entry {
  end: { readonly value: ItemEnd } | { readonly error: unknown } | undefined;
  done: Promise<void> | undefined;
}

/**
 * The ends of a step that runs once per item of a stream, in the order of the items, several in progress at once. An item without
 * an output leaves a gap, not a value. If items run one after the other, an item that ends in the same turn needs no promise.
 */
export class ItemEnds extends ItemStream {
  private readonly call: Attempt;
  private readonly items: ItemStream;
  private readonly atOnce: number;
  private readonly most: number;
  private index = 0;
  private window: Entry[] = [];
  /** No further item is started. */
  private over = false;
  private wake: (() => void) | undefined = undefined;

  constructor(call: Attempt, items: ItemStream) {
    super();
    this.call = call;
    this.items = items;
    this.atOnce = call.step.each?.concurrency ?? 1;
    this.most = call.step.each?.maxItems ?? Number.POSITIVE_INFINITY;
  }

  poll(): unknown {
    for (;;) {
      const value = this.window.length > 0 ? this.first() : this.nextItem();
      if (value !== LEFT_OUT) return value;
    }
  }

  whenReady(wake: () => void): void {
    this.wake = wake;
    if (!this.over && this.window.length < this.atOnce) this.items.whenReady(() => this.rouse());
  }

  close(): Promise<unknown> | undefined {
    this.over = true;
    void this.items.close();
    const running = this.window.flatMap(({ end, done }) => (end === undefined && done ? [done] : []));
    this.window = [];
    return running.length === 0 ? undefined : Promise.all(running);
  }

  /** The end of the first item in progress, once it is available; meanwhile others are started. */
  private first(): unknown {
    while (!this.over && this.window.length < this.atOnce) if (!this.startNext()) break;
    const end = this.window[0]?.end;
    if (end === undefined) return PENDING;
    this.window.shift();
    if ('value' in end) return end.value;
    this.over = true;
    throw end.error;
  }

  /** Starts another item after those in progress; false if none is available. A failure waits for the ends before it. */
  private startNext(): boolean {
    try {
      const end = this.take();
      if (end === PENDING || end === END) return false;
      if (isPromise(end)) this.await(end);
      else this.window.push({ end: { value: end }, done: undefined });
      return true;
    } catch (error) {
      this.over = true;
      this.window.push({ end: { error }, done: undefined });
      return false;
    }
  }

  /** The end of the next item while none is in progress; `PENDING` or `END` of the items if there is none. */
  private nextItem(): unknown {
    const end = this.take();
    if (!isPromise(end)) return end;
    this.await(end);
    return this.first();
  }

  private take(): unknown {
    if (this.over) return END;
    const item = this.items.poll();
    if (item === END) this.over = true;
    if (item === PENDING || item === END) return item;
    if (this.index === this.most) throw tooManyItems(this.call, 'The stream has more items', this.most);
    return this.start(item);
  }

  private start(item: unknown): unknown {
    const { signal } = this.call;
    return runItem(this.call, { item, index: this.index++, signal });
  }

  private await(end: Promise<ItemEnd>): void {
    const entry: Entry = { end: undefined, done: undefined };
    entry.done = end.then(
      (value) => this.settle(entry, { value }),
      (error: unknown) => this.settle(entry, { error }),
    );
    this.window.push(entry);
  }

  private settle(entry: Entry, end: NonNullable<Entry['end']>): void {
    entry.end = end;
    if (entry === this.window[0]) this.rouse();
  }

  private rouse(): void {
    const { wake } = this;
    this.wake = undefined;
    wake?.();
  }
}

/** One output of a step with several: the items for which it was live. */
export class PortStream extends ItemStream {
  private readonly ends: Reader;
  private readonly port: string;

  constructor(ends: Reader, port: string) {
    super();
    this.ends = ends;
    this.port = port;
  }

  /** It waits for the items, which another output may delay. */
  override get isHeldUp(): boolean {
    return this.ends.waits;
  }

  poll(): unknown {
    for (;;) {
      const end = this.nextEnd();
      if (end === PENDING || end === END) return end;
      const value = (end as Record<string, unknown>)[this.port];
      if (value !== undefined) return value;
    }
  }

  whenReady(wake: () => void): void {
    this.ends.whenReady(wake);
  }

  /** A failure is the step's own, not that of a producer before it. */
  private nextEnd(): unknown {
    try {
      return this.ends.poll();
    } catch {
      throw this.ends.source.error;
    }
  }

  close(): undefined {
    this.ends.close();
  }
}
