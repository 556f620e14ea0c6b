import type * as SdkModule from '@restatedev/restate-sdk';
import type { ObjectContext, ObjectSharedContext } from '@restatedev/restate-sdk';
import type { RecordedStep } from '../port.ts';
import type { Happened, Recording } from './live-pass.ts';

type Sdk = typeof SdkModule;

/** Why a run may continue. */
export type Reason = 'start' | 'wake' | 'time';

/** How an invocation ended. */
export type Settled =
  | { readonly kind: 'ended' | 'idle' | 'gone' }
  /** The run continues after `in` milliseconds; `parks` is how often it was parked. */
  | { readonly kind: 'parked'; readonly in: number | undefined; readonly parks: number };

/** An attempt of Restate to continue a run here. */
export interface Attempt {
  /** The next event, or how the invocation ended; rejects if Restate is to try again. */
  next(): Promise<Exclude<Happened, { end: unknown }> | { readonly settled: Settled }>;
  /** Call it once the results of `next` are recorded. */
  recorded(): void;
}

/** Executes the attempts of Restate on this server. */
export interface Carrier {
  attempt(of: {
    readonly run: string;
    readonly why: Reason;
    readonly known: readonly RecordedStep[];
    /** How often the run was parked, as far as Restate knows. */
    readonly parks: number;
    readonly signal: AbortSignal;
  }): Attempt;
}

/** One page of a run's records; `next` is where the following page begins. */
export interface StepsPage {
  readonly steps: readonly RecordedStep[];
  readonly next?: number | undefined;
}

/** The characters of results on a page. */
const PAGE_SIZE = 4_000_000;
/** How many entries the journal of an invocation has before another one goes on, in a run whose records became fewer. */
const MOST_ENTRIES = 200;
const TIMER = 'timer';
const PARKS = 'parks';
const DAY_MS = 24 * 3_600_000;

/**
 * A run as a virtual object of Restate: its state is the run's records, and its invocations are a queue, of which one
 * at a time is executed.
 * RO1. An invocation's journal is the sequence of facts about its pass, so that each attempt asks for the same entries.
 * RO2. A reason to continue a run sends an invocation: one that comes during a pass is executed after it.
 * RO3. A loop without end leaves no journal without end: an invocation that has recorded much, some of it in place of other records,
 *      sends the next one, which begins with what is left.
 * RO4. A run is parked once Restate knows: if its row shows that earlier, an attempt died in between, and the next one
 *      parks it.
 */
export function runObject(sdk: Sdk, name: string, carrier: Carrier) {
  async function pass(ctx: ObjectContext, { why }: { readonly why: Reason }): Promise<void> {
    const entries = await recordsOf(ctx);
    const first = 1 + Math.max(-1, ...entries.keys());
    let isShorter = false;
    const parks = (await ctx.get<number>(PARKS)) ?? 0;
    const signal = ctx.request().attemptCompletedSignal;
    let attempt: Attempt | undefined;
    for (let at = first; ; at++) {
      const entry = await ctx.run(String(at), () => {
        attempt ??= carrier.attempt({
          run: ctx.key,
          why,
          known: [...entries.values()].flat(),
          parks,
          signal,
        });
        return attempt.next();
      });
      attempt?.recorded();
      if ('settled' in entry) return settle(ctx, entry.settled);
      isShorter = keep(ctx, { entries, at, steps: entry.steps }) || isShorter;
      if (isShorter && at - first >= MOST_ENTRIES) {
        sendPass(ctx, name, 'wake');
        return;
      }
    }
  }

  async function settle(ctx: ObjectContext, settled: Settled): Promise<void> {
    if (settled.kind === 'idle') return;
    const timer = await ctx.get<string>(TIMER);
    if (timer !== null && timer !== ctx.request().id) ctx.cancel(sdk.InvocationIdParser.fromString(timer));
    if (settled.kind === 'gone') return ctx.clearAll();
    if (timer !== null) ctx.clear(TIMER);
    if (settled.kind !== 'parked') return;
    ctx.set(PARKS, settled.parks);
    if (settled.in === undefined) return;
    ctx.set(TIMER, await sendPass(ctx, name, 'time', settled.in).invocationId);
  }

  return sdk.object({
    name,
    handlers: {
      pass,
      steps: sdk.handlers.object.shared(pageOf),
      forget: (ctx: ObjectContext) => settle(ctx, { kind: 'gone' }),
    },
    options: {
      journalRetention: 0,
      // A pass lives as long as its attempt: Restate must not suspend one with a long step.
      inactivityTimeout: 30 * DAY_MS,
      abortTimeout: 30 * DAY_MS,
      retryPolicy: {
        initialInterval: 50,
        exponentiationFactor: 2,
        maxInterval: 5000,
        // Unlimited: a run is never given up because servers were away.
        maxAttempts: 2 ** 31 - 1,
      },
    },
  });
}

/** Sends the next invocation of a run, of itself. */
function sendPass(
  ctx: ObjectContext,
  service: string,
  why: Reason,
  delay?: number,
): ReturnType<ObjectContext['genericSend']> {
  return ctx.genericSend({
    service,
    method: 'pass',
    key: ctx.key,
    parameter: new TextEncoder().encode(JSON.stringify({ why })),
    ...(delay !== undefined && { delay }),
  });
}

async function pageOf(ctx: ObjectSharedContext, { from }: { readonly from: number }): Promise<StepsPage> {
  const keys = await entriesOf(ctx);
  const page: RecordedStep[] = [];
  let size = 0;
  for (const key of keys.slice(from)) {
    if (size > PAGE_SIZE) return { steps: page, next: keys.indexOf(key) };
    for (const step of (await ctx.get<RecordedStep[]>(key)) ?? []) {
      page.push(step);
      size += step.result.length;
    }
  }
  return { steps: page };
}

/** By the number of the entry, in order. */
type Entries = Map<number, readonly RecordedStep[]>;

async function recordsOf(ctx: ObjectContext): Promise<Entries> {
  const entries: Entries = new Map();
  for (const key of await entriesOf(ctx))
    entries.set(Number(key), (await ctx.get<RecordedStep[]>(key)) ?? []);
  return entries;
}

interface NewEntry {
  readonly entries: Entries;
  readonly at: number;
  readonly steps: readonly Recording[];
}

/** Stores an entry, and removes the records that its steps replace. True if there were any. */
function keep(ctx: ObjectContext, { entries, at, steps }: NewEntry): boolean {
  entries.set(
    at,
    steps.map(({ key, result }) => ({ key, result })),
  );
  const gone = new Set(steps.flatMap(({ replaces = [] }) => replaces));
  for (const [number, records] of gone.size === 0 ? [] : [...entries]) {
    const left = records.filter(({ key }) => !gone.has(key));
    if (left.length === records.length) continue;
    if (left.length > 0) entries.set(number, left);
    else entries.delete(number);
    if (number === at) continue;
    if (left.length > 0) ctx.set(String(number), left);
    else ctx.clear(String(number));
  }
  ctx.set(String(at), entries.get(at) ?? []);
  return gone.size > 0;
}

/** The entries with records, in order. */
async function entriesOf(ctx: ObjectContext | ObjectSharedContext): Promise<string[]> {
  const keys = (await ctx.stateKeys()).filter((key) => /^\d+$/.test(key));
  return keys.sort((a, b) => Number(a) - Number(b));
}
