import type { Host } from '../base/host.ts';
import { isAsyncIterable } from '../base/item-stream.ts';
import type { Attempt } from '../run/state.ts';
import type { Services } from '../base/services.ts';
import { Asked, type Likeness } from './asked.ts';
import { type Asking, contentOfAsk, contentOfCall, NO_SECRETS } from './ask-content.ts';
import { decode, decodeError } from './codec.ts';
import { describeAsk } from './describe-ask.ts';
import { stepName } from './instrument.ts';
import type { Callback, Delivery, RunTape } from './record.ts';

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  /** The callbacks of an ask. */
  readonly target: unknown;
}

type Arrival = Extract<Delivery, { of: number }>;

/** Answers a replayed run with the contents of its record. */
export class Playback {
  readonly asked: Asked;
  private readonly record: RunTape;
  readonly likeness: Likeness;
  private readonly defer: Host['defer'];
  private readonly pending = new Map<number, Pending>();
  /** Deliveries that arrived before the run requested them; a similar run may request later than the recorded one. */
  private readonly early = new Map<number, Arrival[]>();
  /** Timers of a similar run that the record lacks, in the order in which they were set. */
  private readonly extra = new Set<{ readonly ms: number; readonly fn: () => void }>();
  /** Early deliveries whose turn has come, and whether the run received any since the last `catchUp`. */
  private late = 0;
  private hasMoved = false;
  private readonly used = { times: 0, randoms: 0, ids: 0 };

  constructor(record: RunTape, likeness: Likeness, defer: Host['defer']) {
    this.record = record;
    this.likeness = likeness;
    this.defer = defer;
    this.asked = new Asked(record.asks, likeness);
  }

  host(): Host {
    const { times, randoms, ids, services, caches } = this.record;
    const proxies = services.map((name) => [name, this.service(name)]);
    return {
      now: () => this.next('times', times) ?? times.at(-1) ?? 0,
      random: () => this.next('randoms', randoms) ?? 0,
      id: () => this.next('ids', ids) ?? '',
      timer: (ms, fn) => this.timer(ms, fn),
      defer: (fn) => this.callLater('defer', fn, () => this.defer(fn)),
      services: Object.fromEntries(proxies) as Services,
      // Nobody knows what another version would have found there.
      ...(caches && this.likeness === 'same' && { cache: this.cache() }),
    };
  }

  foreign(call: Attempt): unknown {
    const asking: Asking = { what: stepName(call), content: () => contentOfCall(call, NO_SECRETS) };
    return this.ask(asking, call);
  }

  deliver(delivery: Arrival): void {
    const pending = this.pending.get(delivery.of);
    if (pending) this.give(pending, delivery);
    else if (this.likeness === 'similar') this.keep(delivery);
    else {
      const what = this.record.asks[delivery.of]?.what ?? 'something';
      this.asked.diverge(
        `The record has an answer to its ask ${delivery.of} (${what}), which the run no longer waits for.`,
      );
    }
  }

  /** Delivers what the run still waits for and the record does not have; false if there is nothing. */
  catchUp(): boolean {
    if (this.asked.divergence) return false;
    if (this.late > 0 || this.hasMoved) {
      this.hasMoved = false;
      return true;
    }
    const [first] = [...this.extra].sort((a, b) => a.ms - b.ms);
    if (first === undefined) return false;
    this.extra.delete(first);
    first.fn();
    return true;
  }

  private service(name: string): object {
    const get =
      (_: object, method: string | symbol) =>
      (...args: unknown[]) => {
        const asking: Asking = {
          what: describeAsk(name, String(method), args),
          content: () => contentOfAsk(name, args, NO_SECRETS),
        };
        const answer = this.ask(asking, args[0]);
        // The service read it to its end, and what is behind it was asked for meanwhile.
        const { content } = Object(args[0]) as { content?: unknown };
        if (name === 'files' && isAsyncIterable(content)) void drained(content);
        return answer;
      };
    return new Proxy({}, { get });
  }

  private cache(): NonNullable<Host['cache']> {
    return {
      get: () => this.ask('cache.get', undefined) as ReturnType<NonNullable<Host['cache']>['get']>,
      set: () => this.ask('cache.set', undefined) === true,
    };
  }

  private timer(ms: number, fn: () => void): () => void {
    const own = { ms, fn };
    const of = this.callLater(`timer of ${ms} ms`, fn, () => this.extra.add(own));
    return () => {
      this.extra.delete(own);
      if (of !== undefined) this.pending.delete(of);
    };
  }

  /** `otherwise`: for a similar run, what to do with a timer that is not in the record. */
  private callLater(what: string, fn: () => void, otherwise: () => unknown): number | undefined {
    const of = this.asked.find(what);
    if (of !== undefined) this.expect(of, { resolve: fn, reject: fn, target: undefined });
    else if (this.likeness === 'similar') otherwise();
    return of;
  }

  /** Calls `fn` when nothing else is left to happen: for what a similar run waits for and the recorded one did not. */
  atLast(ms: number, fn: () => void): void {
    this.extra.add({ ms, fn });
  }

  /** The recorded answer to an ask. `otherwise`: for a similar run, the answer to an ask that is not in the record. */
  ask(asked: string | Asking, target: unknown, otherwise?: () => unknown): unknown {
    const of = this.asked.find(asked);
    if (of === undefined) {
      if (otherwise && this.likeness === 'similar') return otherwise();
      this.asked.divergeAt(asked);
      // Nobody answers: the run stops where it is.
      return new Promise(() => {});
    }
    const { calls = [], error, gives, value } = this.record.asks[of] ?? {};
    for (const call of calls) callBack(target, call);
    if (error) throw decodeError(error);
    if (gives === 'now') return this.decoded(value);
    if (gives === 'stream') {
      // A service that returns a stream may call back as long as the stream is read.
      this.expect(of, { resolve: nothing, reject: nothing, target });
      return this.stream(of);
    }
    return new Promise((resolve, reject) => this.expect(of, { resolve, reject, target }));
  }

  private expect(of: number, pending: Pending): void {
    this.pending.set(of, pending);
    const early = this.early.get(of);
    if (early === undefined) return;
    this.early.delete(of);
    this.late++;
    this.defer(() => {
      this.late--;
      this.hasMoved = true;
      for (const delivery of early) this.give(pending, delivery);
    });
  }

  private keep(delivery: Arrival): void {
    const list = this.early.get(delivery.of) ?? [];
    this.early.set(delivery.of, list);
    list.push(delivery);
  }

  private give(pending: Pending, delivery: Arrival): void {
    if ('call' in delivery) {
      callBack(pending.target, delivery.call);
      return;
    }
    this.pending.delete(delivery.of);
    if (delivery.error) pending.reject(decodeError(delivery.error));
    else pending.resolve(this.decoded(delivery.value));
  }

  private decoded(value: unknown): unknown {
    return decode(value, (of) => {
      // The run requested it in the same turn.
      this.asked.take(of);
      return this.stream(of);
    });
  }

  private stream(of: number): AsyncIterable<unknown> {
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => this.ask(`next of ${of}`, undefined) as Promise<IteratorResult<unknown>>,
        return: () => this.ask(`end of ${of}`, undefined) as Promise<IteratorResult<unknown>>,
      }),
    };
  }

  private next<T>(kind: 'times' | 'randoms' | 'ids', list: readonly T[]): T | undefined {
    const at = this.used[kind]++;
    if (at >= list.length && this.likeness === 'same')
      this.asked.diverge(`The run asked for more ${kind} than the ${list.length} of the record.`);
    return list[at];
  }
}

function nothing(): void {}

async function drained(content: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _piece of content);
  } catch {
    // The recorded answer tells it.
  }
}

function callBack(target: unknown, { name, with: args }: Callback): void {
  const fn = (target as Record<string, unknown> | undefined)?.[name];
  if (typeof fn === 'function')
    fn.apply(
      target,
      args.map((arg) => decode(arg, () => undefined)),
    );
}
