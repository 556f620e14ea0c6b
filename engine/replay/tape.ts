import type { Host } from '../base/host.ts';
import { isAsyncIterable } from '../base/item-stream.ts';
import type { Asking } from './ask-content.ts';
import { codedSize, encode, encodeError, StreamMark } from './codec.ts';
import type { Ask, Callback, Delivery } from './record.ts';

type Coder = (value: unknown) => unknown;

const NONE: ReadonlyMap<string, string> = new Map();

/**
 * Records what a run asks of the outside and what it gets.
 *
 * B1. Answers reach the run one at a time, each in a separate turn, so that the order of the deliveries is the only order.
 * B2. An answer is recorded in the turn in which the run gets it.
 * B3. The recording is bounded: beyond the limit nothing is recorded, and the run continues.
 */
export class Tape {
  readonly asks: Ask[] = [];
  readonly deliveries: Delivery[] = [];
  /** Whether the limit was exceeded. */
  full = false;
  private readonly host: Host;
  /** Deliveries that wait for their turn, from `next` on; the first one has it. */
  private waiting: (() => void)[] = [];
  private next = 0;
  private left: number;
  private opened = 0;
  private secrets: Map<string, string> | undefined = undefined;

  /** `limit`: characters to record, roughly counted. */
  constructor(host: Host, limit: number) {
    this.host = host;
    this.left = limit;
  }

  /** Names of the secrets that the run knows, by their values. Most runs know none, and a map for each costs. */
  get revealed(): ReadonlyMap<string, string> {
    return this.secrets ?? NONE;
  }

  reveal(value: string, name: string): void {
    this.secrets ??= new Map();
    this.secrets.set(value, name);
  }

  /** Records an ask; returns its index. */
  open(what: string, gives: Ask['gives'] = 'call'): number {
    return this.begin({ what, gives });
  }

  private begin(ask: Ask): number {
    if (this.hasRoom(ask)) this.asks.push(ask);
    return this.opened++;
  }

  private hasRoom(noted: unknown): boolean {
    if (this.full) return false;
    this.left -= codedSize(noted);
    if (this.left >= 0) return true;
    this.full = true;
    this.asks.length = 0;
    this.deliveries.length = 0;
    return false;
  }

  /** Gives `fn` a separate turn. It returns the entry to record, and does the work. */
  deliver(fn: () => void): void {
    this.waiting.push(fn);
    if (this.waiting.length - this.next === 1) this.host.defer(this.turn);
  }

  private readonly turn = (): void => {
    this.waiting[this.next]?.();
    this.next++;
    this.letGo();
    if (this.next < this.waiting.length) this.host.defer(this.turn);
  };

  /** A node that reports much makes thousands wait: moving all of them up each time would take longer than their work. */
  private letGo(): void {
    if (this.next * 2 < this.waiting.length) return;
    this.waiting = this.waiting.slice(this.next);
    this.next = 0;
  }

  note(delivery: Delivery): void {
    if (this.hasRoom(delivery)) this.deliveries.push(delivery);
  }

  /** Asks the outside by `run`, which gets a function to record callbacks. `code` encodes the result. */
  ask(
    asked: string | Asking,
    run: (callback: (back: Callback, fn: () => void) => void) => unknown,
    code: Coder = encode,
  ): unknown {
    const entry: Ask = { ...this.named(asked), gives: 'now' };
    const of = this.begin(entry);
    let inside = true;
    try {
      const result = run((back, fn) => {
        if (inside) {
          const noted = coded(back);
          if (this.hasRoom(noted)) (entry.calls ??= []).push(noted);
          fn();
        } else this.deliver(() => (this.note({ of, call: coded(back) }), fn()));
      });
      inside = false;
      return this.passOn({ entry, of }, result, code);
    } catch (error) {
      inside = false;
      entry.error = encodeError(error);
      throw error;
    }
  }

  private named(asked: string | Asking): Pick<Ask, 'what' | 'key'> {
    if (typeof asked === 'string') return { what: asked };
    const key = this.full ? undefined : asked.content();
    return { what: asked.what, ...(key !== undefined && { key }) };
  }

  private passOn({ entry, of }: { entry: Ask; of: number }, result: unknown, code: Coder): unknown {
    if (result instanceof Promise) {
      entry.gives = 'later';
      return this.later(of, result, code);
    }
    if (isAsyncIterable(result)) {
      entry.gives = 'stream';
      return this.stream(of, result);
    }
    const value = code(result);
    if (this.hasRoom(value)) entry.value = value;
    return result;
  }

  private later(of: number, promise: Promise<unknown>, code: Coder): Promise<unknown> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) =>
          this.deliver(() => {
            const { live, plain } = this.withStreams(value);
            this.note({ of, value: code(plain) });
            resolve(live);
          }),
        (error: unknown) =>
          this.deliver(() => {
            this.note({ of, error: encodeError(error) });
            reject(error);
          }),
      );
    });
  }

  /** A value that is a stream, or an object that contains some (an HTTP answer's body): `plain` names their indexes. */
  private withStreams(value: unknown): { live: unknown; plain: unknown } {
    if (isAsyncIterable(value)) {
      const of = this.open('stream', 'stream');
      return { live: this.stream(of, value), plain: new StreamMark(of) };
    }
    if (typeof value !== 'object' || value === null || !Object.values(value).some(isAsyncIterable))
      return { live: value, plain: value };
    const fields = Object.entries(value).map(([name, field]) => [name, this.withStreams(field)] as const);
    return {
      live: Object.fromEntries(fields.map(([name, { live }]) => [name, live])),
      plain: Object.fromEntries(fields.map(([name, { plain }]) => [name, plain])),
    };
  }

  private stream(of: number, source: AsyncIterable<unknown>): AsyncIterable<unknown> {
    return {
      [Symbol.asyncIterator]: () => {
        const items = source[Symbol.asyncIterator]();
        const end = { done: true, value: undefined } as const;
        return {
          next: () => this.ask(`next of ${of}`, () => items.next()) as Promise<IteratorResult<unknown>>,
          return: () =>
            this.ask(`end of ${of}`, () => items.return?.() ?? Promise.resolve(end)) as Promise<
              IteratorResult<unknown>
            >,
        };
      },
    };
  }
}

function coded({ name, with: args }: Callback): Callback {
  return { name, with: args.map((arg) => encode(arg)) };
}
