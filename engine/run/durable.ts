import { WeftError } from '../base/errors.ts';
import type { RunCtx, WaitFor } from '../base/host.ts';
import { isAsyncIterable } from '../base/item-stream.ts';
import type { PartName, PartOfStep } from '../base/operator.ts';
import type { Step } from '../plan/plan.ts';
import type { Attempt, EndOrder, Settled } from './state.ts';

/** How steps are executed, and wait, in a run with a durable context. */

/** The longest stream that is recorded, in characters of its items as JSON. */
const MAX_COLLECTED = 10_000_000;

/** Whether the result of the step is recorded: it reads or changes the outside. An answer to the caller is the run's own. */
export function isJournaled({ operator, body }: Step): boolean {
  // The steps of a body are recorded themselves.
  if (body !== undefined) return false;
  return (operator.effects === 'read' || operator.effects === 'write') && operator.respond !== true;
}

/** Executes an attempt through the context. Streams are collected, recorded as one value, and passed on as streams. */
export function executeDurably(ctx: RunCtx, call: Attempt, fn: () => unknown): Promise<unknown> {
  const { idempotencyKey, signal, step } = call;
  const of = {
    key: stepKey(call),
    idempotencyKey,
    operator: step.type,
    params: call.params,
    input: step.inputs.length > 1 ? call.inputs : call.input,
    signal,
  };
  const result = step.streams
    ? ctx.step(of, async () => collected(step, await fn())).then((kept) => streamed(step, kept))
    : ctx.step(of, async () => fn());
  if (call.readers === undefined) return result;
  // A step with a record must not read its streams: that would block other readers until its end is taken.
  return result.finally(() => call.close());
}

/** Executes a part of an attempt through the context, which records it separately. */
export function executePart(ctx: RunCtx, call: Attempt, of: PartOfStep, fn: () => unknown): Promise<unknown> {
  const step = {
    key: partKey(call, of),
    whole: stepKey(call),
    idempotencyKey: `${call.idempotencyKey}#${of.index}`,
    operator: call.step.type,
    params: call.params,
    input: of.input,
    signal: of.signal,
  };
  return ctx.step(step, async () => fn());
}

/** The key of a part of an attempt: `node/7`, and `node/7@2` for another attempt at the part. */
export function partKey(
  call: Pick<Attempt, 'node' | 'index' | 'attempt'>,
  { index, attempt }: PartName,
): string {
  const key = `${stepKey(call)}/${index}`;
  return attempt === 1 ? key : `${key}@${attempt}`;
}

/** Waits before another attempt, even over restarts. */
export async function sleepDurably(ctx: RunCtx, call: Attempt, until: number): Promise<void> {
  await ctx.wait(`${stepKey(call)}:retry`, call.node, { kind: 'time', until }, call.signal);
}

/** `call.wait`: by the context, or by the host's timer if only time must pass. */
export function waitFor(call: Attempt, what: WaitFor): Promise<unknown> {
  const { ctx, root, recorder } = call.run;
  if (ctx === undefined && what.kind === 'answer') {
    const message = `The node “${call.step.title}” asks people (“${what.title}”), which is only possible in a durable run.`;
    return Promise.reject(new WeftError('needs_durable', message));
  }
  if (root.observed) recorder.nodeWaiting(call.step, what);
  if (ctx !== undefined) return ctx.wait(stepKey(call), call.node, what, call.signal);
  return sleepUntil(call, (what as { until: number }).until);
}

/** The clock is checked again after this time, in milliseconds, since it may be changed. */
const LOOK_MS = 60_000;

async function sleepUntil(call: Attempt, until: number): Promise<undefined> {
  const left = (): number => until - call.now();
  while (left() > 0) await call.sleep(Math.min(left(), LOOK_MS));
}

/** The key of an attempt: `node`, `node#7` for an item, `node@2` for the second attempt. */
export function stepKey({ node, index, attempt }: Pick<Attempt, 'node' | 'index' | 'attempt'>): string {
  const item = index === undefined ? node : `${node}#${index}`;
  return attempt === 1 ? item : `${item}@${attempt}`;
}

/** The results of a step with streams, by port: the items of a stream, or a value as it is. */
type Collected = Readonly<
  Record<string, { readonly items: readonly unknown[] } | { readonly value: unknown }>
>;

async function collected(step: Step, result: unknown): Promise<Collected> {
  const ports = portsOf(step, result);
  const kept = await Promise.all(
    ports.map(async ([port, value]) => [port, isAsyncIterable(value) ? await items(step, value) : { value }]),
  );
  return Object.fromEntries(kept) as Collected;
}

function portsOf(step: Step, result: unknown): [port: string, value: unknown][] {
  return step.single ? [[step.ports[0] as string, result]] : Object.entries((result ?? {}) as object);
}

async function items(step: Step, stream: AsyncIterable<unknown>): Promise<{ items: unknown[] }> {
  const list: unknown[] = [];
  let size = 0;
  for await (const item of stream) {
    size += JSON.stringify(item)?.length ?? 0;
    if (size > MAX_COLLECTED) {
      throw new WeftError(
        'durable_result_too_large',
        `The stream of “${step.title}” is longer than can be recorded.`,
      );
    }
    list.push(item);
  }
  return { items: list };
}

function streamed(step: Step, kept: unknown): unknown {
  const ports = Object.entries(kept as Collected).map(([port, part]) => [
    port,
    'items' in part ? again(part.items) : part.value,
  ]);
  return step.single ? ports[0]?.[1] : Object.fromEntries(ports);
}

// oxlint-disable-next-line require-await -- a stream is what is asked for
async function* again(list: readonly unknown[]): AsyncGenerator<unknown> {
  yield* list;
}

// ------------------------------------------------------------------------------------------- the order of ends

type Take = (call: Attempt, settled: Settled) => void;

interface Entry {
  readonly call: Attempt;
  readonly end: Promise<Settled>;
  readonly take: Take;
  isOver: boolean;
}

/**
 * Takes the ends of awaited steps in the order of `RunCtx.next`, so that a durable run takes the same path when it continues
 * elsewhere. Not used by runs in memory. The cost of an end does not depend on the number of awaited steps.
 */
export class RecordedOrder implements EndOrder {
  private readonly running = new Map<string, Promise<unknown>>();
  private readonly entries = new Map<string, Entry>();
  private readonly ctx: RunCtx;
  /** Those that have ended, in order, from `taken` on. */
  private ended: Entry[] = [];
  private taken = 0;
  private onEnded: (() => void) | undefined = undefined;
  private pumping = false;
  /** The attempt whose end is taken next, whichever others have ended. */
  private due: Entry | undefined = undefined;

  constructor(ctx: RunCtx) {
    this.ctx = ctx;
  }

  add(call: Attempt, promise: Promise<unknown>, take: Take): void {
    const end = promise.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const entry = { call, end, take, isOver: false };
    this.running.set(call.node, end);
    this.entries.set(call.node, entry);
    void end.then(() => {
      entry.isOver = true;
      if (this.due !== undefined) call.run.streams?.changed();
      this.ended.push(entry);
      this.onEnded?.();
    });
    if (!this.pumping) void this.pump();
  }

  private async pump(): Promise<void> {
    this.pumping = true;
    while (this.running.size > 0) {
      const key = await this.ctx.next(this.running, () => this.first());
      const entry = this.entries.get(key);
      this.running.delete(key);
      this.entries.delete(key);
      if (entry) await this.takeEnd(entry);
    }
    this.pumping = false;
  }

  private async takeEnd(entry: Entry): Promise<void> {
    const { call, end, take } = entry;
    this.due = entry;
    call.run.streams?.changed();
    const settled = await end;
    this.due = undefined;
    take(call, settled);
  }

  /** Whether the attempt has ended, but may only be taken after another one that has not. */
  isHeldUp(call: Attempt): boolean {
    return this.due !== undefined && this.entries.get(call.node)?.isOver === true;
  }

  private async first(): Promise<string> {
    for (;;) {
      const entry = this.ended[this.taken];
      if (entry === undefined) await this.another();
      else {
        this.taken++;
        // An attempt that was taken before it ended is over, even if its node is awaited again.
        if (this.entries.get(entry.call.node) === entry) return entry.call.node;
      }
    }
  }

  private another(): Promise<void> {
    this.ended = [];
    this.taken = 0;
    return new Promise((resolve) => {
      this.onEnded = resolve;
    });
  }
}
