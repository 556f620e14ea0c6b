import { type CallRate, PERIOD_MS, periodText } from '#shared/rate.ts';
import { ServiceError } from '../errors/errors.ts';
import { type AnyBuckets, createBuckets, type SharedBuckets, type Rate, type Taken } from './buckets.ts';

/** Things with a limit on their calls. */
export type LimitedKind = 'trigger' | 'form' | 'chat' | 'page' | 'key';

/** Something whose calls are limited. */
export interface Limited {
  readonly kind: LimitedKind;
  /** Identifies it among those of its kind: the flow and node of a trigger, the owner of a key. */
  readonly id: string;
  /** Its flow or app, for metrics; absent if it has none. */
  readonly of?: string;
  readonly rate: Pick<CallRate, 'limit' | 'per'> & { readonly burst?: number | undefined };
}

/** The sender of a request. */
export interface Keyed {
  readonly owner: string;
  /** Requests that its key may make in a minute; undefined if there is no limit. */
  readonly perMinute?: number | undefined;
}

/** Headers of an answer, with the fields `RateLimit-Policy` and `RateLimit` of the IETF draft and `Retry-After`. */
export type RateHeaders = Readonly<Record<string, string>>;

/** Counts the calls of callers against limits, in memory; servers that share a database count together, and may have to wait. */
export interface CallRates {
  /**
   * Counts a call by `caller`, any name; returns headers for its answer. Throws `rate_limited` if it has made too many. A
   * changed limit starts full again.
   */
  count(limited: Limited, caller: string): RateHeaders | Promise<RateHeaders>;
  /** Counts a request with an API key, or of a session, which has no limit. Throws `rate_limited`. */
  countKey(key: Keyed): RateHeaders | Promise<RateHeaders> | undefined;
  /** Refused calls since the start. */
  refused(): readonly Refusals[];
}

/** How many calls of one kind, of one flow or app, were refused. */
export interface Refusals extends Pick<Limited, 'kind' | 'of'> {
  readonly count: number;
}

/** Limits that are known at once; triggers and keys that no longer exist are forgotten first. */
const MAX_LIMITS = 20_000;

/** `now` is in Unix milliseconds; `shared` has the buckets of servers that count together. */
export function createCallRates(now: () => number, shared?: SharedBuckets): CallRates {
  const limits = new Map<string, { readonly rate: Rate; readonly buckets: AnyBuckets }>();
  const refusals = new Map<string, { readonly kind: LimitedKind; readonly of?: string; count: number }>();

  function bucketsOf({ kind, id, rate: given }: Limited): {
    readonly rate: Rate;
    readonly buckets: AnyBuckets;
  } {
    const name = `${kind} ${id}`;
    const rate = rateOf(given);
    const known = limits.get(name);
    limits.delete(name);
    const isKnown = known !== undefined && isSame(known.rate, rate);
    const found = isKnown ? known : { rate, buckets: shared?.of(name, rate) ?? createBuckets(rate, now) };
    limits.set(name, found);
    const [oldest] = limits.keys();
    if (limits.size > MAX_LIMITS && oldest !== undefined) limits.delete(oldest);
    return found;
  }

  function noteRefusal({ kind, of }: Limited): void {
    const name = `${kind} ${of ?? ''}`;
    const noted = refusals.get(name) ?? { kind, ...(of !== undefined && { of }), count: 0 };
    noted.count++;
    refusals.set(name, noted);
    const [oldest] = refusals.keys();
    if (refusals.size > MAX_LIMITS && oldest !== undefined) refusals.delete(oldest);
  }

  function count(limited: Limited, caller: string): RateHeaders | Promise<RateHeaders> {
    const { rate, buckets } = bucketsOf(limited);
    const taken = buckets.take(caller);
    if (taken instanceof Promise) return taken.then((came) => counted(limited, rate, came));
    return counted(limited, rate, taken);
  }

  function counted(limited: Limited, rate: Rate, taken: Taken): RateHeaders {
    const headers = headersOf(limited.kind, rate, taken);
    if (taken.granted) return headers;
    noteRefusal(limited);
    throw tooFast(limited, taken, headers);
  }

  return {
    count,
    countKey: ({ owner, perMinute: limit }) =>
      limit === undefined
        ? undefined
        : count({ kind: 'key', id: owner, rate: { limit, per: 'minute' } }, owner),
    refused: () => [...refusals.values()],
  };
}

/** The limit as a rate of buckets; its burst is the limit of a period by default. */
export function rateOf({ limit, per, burst = limit }: Limited['rate']): Rate {
  return { count: limit, perMs: PERIOD_MS[per], burst };
}

function isSame(a: Rate, b: Rate): boolean {
  return a.count === b.count && a.perMs === b.perMs && a.burst === b.burst;
}

function headersOf(kind: LimitedKind, { count, perMs }: Rate, { granted, left, waitMs, fullMs }: Taken) {
  return {
    'ratelimit-policy': `"${kind}";q=${count};w=${perMs / 1000}`,
    ratelimit: `"${kind}";r=${left};t=${seconds(granted ? fullMs : waitMs)}`,
  };
}

const TAKEN_BY: Readonly<Record<LimitedKind, string>> = {
  trigger: 'This trigger takes',
  form: 'This form takes',
  chat: 'This flow takes',
  page: 'This page takes',
  key: 'This API key may make',
};

function tooFast(
  { kind, rate: { limit, per, burst = limit } }: Limited,
  { waitMs }: Taken,
  headers: RateHeaders,
): ServiceError {
  const wait = seconds(waitMs);
  const atOnce = burst < limit ? `, ${burst} of them at once` : '';
  return new ServiceError(
    'rate_limited',
    `${TAKEN_BY[kind]} ${limit} ${limit === 1 ? 'request' : 'requests'} ${periodText(per)}${atOnce}, and more came; try again in ${wait} s.`,
    { headers: { ...headers, 'retry-after': String(wait) } },
  );
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
