import type { Step } from '../plan/plan.ts';
import { WeftError } from '../errors.ts';
import type { RunCtx, WaitFor } from '../host.ts';
import { isAsyncIterable } from '../item-stream.ts';
import type { PartOfStep } from '../operator.ts';
import type { NodeCall } from './call.ts';

/** How steps are carried out, and wait, where a run has a durable context. */

/** Longest stream that is recorded, in characters of its items as JSON. */
const MAX_COLLECTED = 10_000_000;

/** Whether what the step gives is recorded: it looks at the outside or changes it. What it answers the caller is the run's own. */
export function isJournaled({ operator }: Step): boolean {
  return (operator.effects === 'read' || operator.effects === 'write') && operator.respond !== true;
}

/** Carries an attempt out through the context. Streams are collected, recorded as one value, and given on as streams. */
export function carryOutDurably(ctx: RunCtx, call: NodeCall, fn: () => unknown): Promise<unknown> {
  const { idempotencyKey, signal, step } = call;
  const of = { key: stepKey(call), idempotencyKey, operator: step.type, params: call.params, signal };
  const result = step.streams
    ? ctx.step(of, async () => collected(step, await fn())).then((kept) => streamed(step, kept))
    : ctx.step(of, async () => fn());
  if (call.readers === undefined) return result;
  // One that has a record reads nothing, which would hold up the others that read the stream until its end is taken.
  return result.finally(() => call.close());
}

/** Carries out a part of an attempt through the context, which has a record of its own. */
export function carryOutPart(
  ctx: RunCtx,
  call: NodeCall,
  { index, attempt, signal }: PartOfStep,
  fn: () => unknown,
): Promise<unknown> {
  const whole = stepKey(call);
  const key = attempt === 1 ? `${whole}/${index}` : `${whole}/${index}@${attempt}`;
  const idempotencyKey = `${call.idempotencyKey}#${index}`;
  const of = { key, whole, idempotencyKey, operator: call.step.type, params: call.params, signal };
  return ctx.step(of, async () => fn());
}

/** Waits before another attempt, over restarts. */
export async function sleepDurably(ctx: RunCtx, call: NodeCall, until: number): Promise<void> {
  await ctx.wait(`${stepKey(call)}:retry`, call.node, { kind: 'time', until }, call.signal);
}

/** `call.wait`: by the context, or by the host's timer where only time has to pass. */
export function waitFor(call: NodeCall, what: WaitFor): Promise<unknown> {
  const { ctx, observed, recorder } = call.run;
  if (ctx === undefined && what.kind === 'answer') {
    const message = `${call.node} asks people (“${what.title}”), which only a durable run can wait for.`;
    return Promise.reject(new WeftError('needs_durable', message));
  }
  if (observed) recorder.nodeWaiting(call.step, what);
  if (ctx !== undefined) return ctx.wait(stepKey(call), call.node, what, call.signal);
  return sleepUntil(call, (what as { until: number }).until);
}

/** The clock is looked at again after this time, in milliseconds, since it may be set. */
const LOOK_MS = 60_000;

async function sleepUntil(call: NodeCall, until: number): Promise<undefined> {
  const left = (): number => until - call.now();
  while (left() > 0) await call.sleep(Math.min(left(), LOOK_MS));
}

function stepKey({ node, index, attempt }: NodeCall): string {
  const item = index === undefined ? node : `${node}#${index}`;
  return attempt === 1 ? item : `${item}@${attempt}`;
}

/** What a step with streams gave, by port: the items of a stream, or a value as it is. */
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
        `The stream of ${step.id} is longer than can be recorded.`,
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
