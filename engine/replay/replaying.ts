import type { RunEvent } from '#shared/run-event.ts';
import type { Plan, Step } from '../compile/plan.ts';
import { WeftError } from '../errors.ts';
import type { Host } from '../host.ts';
import { isAsyncIterable } from '../item-stream.ts';
import type { NodeCall } from '../run/call.ts';
import { start } from '../run/run.ts';
import type { Run } from '../run/types.ts';
import type { Services } from '../services.ts';
import { describeAsk } from './describe-ask.ts';
import { firstDifference } from './difference.ts';
import { instrument, stepName } from './instrument.ts';
import { type Ask, type Callback, decode, decodeError, type Delivery, type RunRecord } from './record.ts';

/** How a replay went. */
export interface Replayed {
  readonly run: Run;
  readonly events: readonly RunEvent[];
  /** `replay_diverged`: the run asked for something that the record does not have, and could not go on. */
  readonly divergence: WeftError | undefined;
  /** The first event that is not the recorded one, times left aside. */
  readonly difference:
    | { readonly recorded: RunEvent | undefined; readonly replayed: RunEvent | undefined }
    | undefined;
}

/**
 * Runs a plan again with what a record holds and nothing else. `defer` calls back in a turn of its own (a host's `defer`).
 * The plan may be of another version than the record's: then `difference` and `divergence` say where its way parts.
 */
export async function replayRun(plan: Plan, record: RunRecord, defer: Host['defer']): Promise<Replayed> {
  const replay = new Replay(record);
  const events: RunEvent[] = [];
  const begin = decode(record.start, () => undefined) as RunRecord['start'];
  const replayed = instrument(plan, (step, call) => replay.foreign(step, call));
  const run = start(replayed, { ...begin, observer: (event) => events.push(event) }, replay.host());
  let items: AsyncIterator<unknown> | undefined;
  run.onAnswer((answer) => {
    if (answer.kind === 'value' && isAsyncIterable(answer.body)) items = answer.body[Symbol.asyncIterator]();
  });
  const turn = (): Promise<void> => new Promise((resolve) => defer(resolve));
  await turn();
  for (const delivery of record.deliveries) {
    if (replay.divergence) break;
    if ('cancel' in delivery) run.cancel(delivery.cancel);
    else if ('caller' in delivery) pull(items, delivery.caller);
    else replay.deliver(delivery);
    await turn();
  }
  if (run.outcome === undefined) replay.diverge('The record ends, but the run goes on.');
  run.cancel('stop');
  return {
    run,
    events,
    divergence: replay.divergence,
    difference: firstDifference(record.events, events),
  };
}

function pull(items: AsyncIterator<unknown> | undefined, what: 'pull' | 'leave'): void {
  const asked = what === 'pull' ? items?.next() : items?.return?.();
  // Its failure is in the run's events.
  asked?.catch(() => {});
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  /** What it may be called back on. */
  readonly target: unknown;
}

class Replay {
  divergence: WeftError | undefined = undefined;
  private readonly record: RunRecord;
  private readonly pending = new Map<number, Pending>();
  private asked = 0;
  private readonly used = { times: 0, randoms: 0, ids: 0 };

  constructor(record: RunRecord) {
    this.record = record;
  }

  host(): Host {
    const { times, randoms, ids, services } = this.record;
    const proxies = services.map((name) => [
      name,
      new Proxy(
        {},
        {
          get:
            (_, method) =>
            (...args: unknown[]) =>
              this.ask(describeAsk(name, String(method), args), args[0]),
        },
      ),
    ]);
    return {
      now: () => this.next('times', times) ?? times.at(-1) ?? 0,
      random: () => this.next('randoms', randoms) ?? 0,
      id: () => this.next('ids', ids) ?? '',
      timer: (ms, fn) => {
        const of = this.open(`timer of ${ms} ms`);
        this.expect(of, { resolve: fn, reject: fn, target: undefined });
        return () => this.pending.delete(of);
      },
      defer: (fn) => this.expect(this.open('defer'), { resolve: fn, reject: fn, target: undefined }),
      services: Object.fromEntries(proxies) as Services,
    };
  }

  foreign(_: Step, call: NodeCall): unknown {
    return this.ask(stepName(call), call);
  }

  diverge(message: string): void {
    this.divergence ??= new WeftError('replay_diverged', message);
  }

  deliver(delivery: Extract<Delivery, { of: number }>): void {
    const pending = this.pending.get(delivery.of);
    if (!pending) {
      const what = this.record.asks[delivery.of]?.what ?? 'something';
      this.diverge(
        `The record has an answer to its ask ${delivery.of} (${what}), which the run no longer waits for.`,
      );
    } else if ('call' in delivery) callBack(pending.target, delivery.call);
    else {
      this.pending.delete(delivery.of);
      if (delivery.error) pending.reject(decodeError(delivery.error));
      else pending.resolve(this.decoded(delivery.value));
    }
  }

  private ask(what: string, target: unknown): unknown {
    const of = this.open(what);
    const asked = this.record.asks[of];
    for (const call of asked?.calls ?? []) callBack(target, call);
    if (asked?.error) throw decodeError(asked.error);
    if (asked?.gives === 'now') return this.decoded(asked.value);
    if (asked?.gives === 'stream') {
      // Who gives a stream may call back as long as it is read.
      this.expect(of, { resolve: nothing, reject: nothing, target });
      return this.stream(of);
    }
    return new Promise((resolve, reject) => this.expect(of, { resolve, reject, target }));
  }

  /** The place of the next ask, which must be the recorded one. */
  private open(what: string): number {
    const of = this.asked++;
    const recorded = this.record.asks[of];
    if (recorded?.what !== what) this.diverge(divergedText(of, recorded, what));
    return of;
  }

  private expect(of: number, pending: Pending): void {
    this.pending.set(of, pending);
  }

  private decoded(value: unknown): unknown {
    return decode(value, (of) => {
      // It was asked for in the same turn.
      this.asked = Math.max(this.asked, of + 1);
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
    if (at >= list.length)
      this.diverge(`The run asked for more ${kind} than the ${list.length} of the record.`);
    return list[at];
  }
}

function nothing(): void {}

function divergedText(of: number, recorded: Ask | undefined, what: string): string {
  const before = recorded ? `the record has ${recorded.what}` : 'the record ends';
  return `Where ${before} (ask ${of}), the run asked for ${what}.`;
}

function callBack(target: unknown, { name, with: args }: Callback): void {
  const fn = (target as Record<string, unknown> | undefined)?.[name];
  if (typeof fn === 'function')
    fn.apply(
      target,
      args.map((arg) => decode(arg, () => undefined)),
    );
}
