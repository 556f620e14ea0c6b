import { MAX_ITEMS } from '#shared/flow.ts';
import { WeftError } from '../base/errors.ts';
import { isPromise } from '../base/is-promise.ts';
import { inItem, LEFT_OUT, loopItems, toldOf } from '../base/item-loop.ts';
import { reading } from '../operators/_record.ts';
import type { Step, StepEach } from '../plan/plan.ts';
import { itemName, track } from './places.ts';
import { checkPorts, type ItemEnd, ItemOutputs, RoutedItem } from './outputs.ts';
import { limitTime, retryAfter, toRunError } from './retry.ts';
import type { Attempt } from './state.ts';

/**
 * A step that runs once per item, with `item` and `index` set: of a list here, of a stream in `item-streams.ts`. Retry, time
 * limit, cache and `onError` apply to each item.
 *
 * E1. The outputs are in the order of the items, whichever of them ends first; an item without an output leaves no gap.
 * E2. With several outputs, each contains the items for which it was live; one without any is dead.
 * E3. An item that ends in the turn in which it started needs no promise.
 */

/** Runs the step for all items of its list. Returns a promise only if an item needs more than this turn. */
export function executeItems(call: Attempt, each: StepEach): ItemOutputs | Promise<ItemOutputs> {
  const items = itemsOf(call, each);
  const ends = loopItems(call, {
    count: items.length,
    concurrency: each.concurrency,
    item: (index, signal) => {
      const begin = (): ItemEnd => runItem(call, { item: items[index], index, signal });
      return call.run.ctx === undefined ? begin() : counted(call, index, begin);
    },
    code: routedAsPlain,
  });
  if (!isPromise(ends)) return ItemOutputs.of(call.step, ends);
  return ends.then((all) => ItemOutputs.of(call.step, all));
}

const routedAsPlain = {
  pack: (end: ItemEnd): unknown => (RoutedItem.is(end) ? { routed: end.error } : { end }),
  unpack: (packed: unknown): ItemEnd => {
    const kept = packed as { end: ItemEnd } | { routed: RoutedItem['error'] };
    return 'end' in kept ? kept.end : new RoutedItem(kept.routed, kept.routed.index);
  },
};

/** A durable run is parked when everything that it awaits is a wait, so it counts items, not steps. */
function counted(call: Attempt, index: number, begin: () => ItemEnd): ItemEnd {
  const end = track(call, itemName(index), begin, 1);
  if (!isPromise(end)) return end;
  return end.finally(() => {
    // The loop has started other items by then, if there are any.
    call.run.host.defer(() => call.run.settleEnd());
  });
}

function itemsOf(call: Attempt, { items: evaluate, maxItems = MAX_ITEMS }: StepEach): readonly unknown[] {
  const items = evaluate === undefined ? call.input : evaluate(call);
  if (!reading(() => Array.isArray(items)))
    throw new WeftError(
      'bad_input',
      evaluate === undefined
        ? `The node “${call.step.title}” runs once for each item, but its input is not a list; give it one, or say in each.items where the list is.`
        : `The node “${call.step.title}” runs once for each item, but each.items is not a list.`,
      { field: 'each.items' },
    );
  const count = reading(() => (items as readonly unknown[]).length);
  if (count > maxItems) throw tooManyItems(call, `The list has ${count} items`, maxItems);
  return reading(() => Array.from(items as readonly unknown[]));
}

/** The error for more items than `each.maxItems` allows; `has` begins the message. */
export function tooManyItems({ step }: Attempt, has: string, maxItems: number): WeftError {
  return new WeftError(
    'too_many_items',
    `${has}, but the node “${step.title}” accepts at most ${maxItems}; raise each.maxItems to accept more.`,
    { field: 'each.maxItems' },
  );
}

/** An item of a step, and its index from 0. */
export interface ItemOf {
  readonly item: unknown;
  readonly index: number;
  /** Ends the item. */
  readonly signal: AbortSignal;
}

/** The end of one item, at once or as a promise. Throws if the step fails with it. */
export function runItem(call: Attempt, of: ItemOf): ItemEnd {
  const attempt = call.forItem(of.item, of.index);
  let result: unknown;
  try {
    result = attempt.execute();
  } catch (error) {
    // Another attempt may take time.
    if (call.step.retry !== undefined) return finishItem(call, of, attempt, Promise.reject(error));
    return failedItem(call, of, error);
  }
  return isPromise(result) ? finishItem(call, of, attempt, result) : endOf(call.step, result);
}

function endOf(step: Step, result: unknown): ItemEnd {
  if (result === undefined) return LEFT_OUT;
  if (step.each === undefined) return result;
  if (!step.single) checkPorts(step, result as Record<string, unknown>);
  return step.each.onItemError === 'collect' ? { ok: true, value: result } : result;
}

/** The end of an item whose first attempt is awaited, including all further attempts. */
async function finishItem(
  call: Attempt,
  of: ItemOf,
  first: Attempt,
  result: Promise<unknown>,
): Promise<ItemEnd> {
  let attempt = first;
  let pending = result;
  for (;;) {
    try {
      return endOf(call.step, await withinLimit(call, { attempt, signal: of.signal, result: pending }));
    } catch (error) {
      if (of.signal.aborted) throw error;
      const delay = retryAfter(attempt, error);
      if (delay === undefined) return failedItem(call, of, error, attempt.attempt);
      await call.sleep(delay);
      attempt = attempt.again();
      pending = startAttempt(attempt);
    }
  }
}

async function startAttempt(attempt: Attempt): Promise<unknown> {
  return await attempt.execute();
}

/** The result of a failed item: `onError` decides first, then `onItemError`. Throws if the step fails with it. */
function failedItem(call: Attempt, { index }: ItemOf, error: unknown, attempt = 1): ItemEnd {
  const { step, run } = call;
  const { each, onError } = step;
  if (each === undefined) {
    if (onError === 'continue') return fallbackOf(step);
    throw error;
  }
  const end = leftBy(call, error, { index, attempt });
  const data = toldOf(error);
  run.recorder.log({ node: step.id, level: 'warn', text: `Item ${index + 1} failed: ${data.message}`, data });
  return end;
}

function leftBy({ step }: Attempt, error: unknown, at: { index: number; attempt: number }): ItemEnd {
  if (step.onError === 'continue') return fallbackOf(step);
  if (step.onError === 'route' && !step.lifted)
    return new RoutedItem(toRunError(error, step, at.attempt), at.index);
  if (step.each?.onItemError === 'skip') return LEFT_OUT;
  if (step.each?.onItemError === 'collect') return { ok: false, error: toldOf(error) };
  throw inItem(error, at.index);
}

function fallbackOf({ single, fallback, ports }: Step): ItemEnd {
  return (single ? fallback?.[ports[0] as string] : fallback) ?? LEFT_OUT;
}

/** Passes the end of the item on to its attempt, and ends the attempt at its time limit. */
function withinLimit(
  { step, run }: Attempt,
  { attempt, signal, result }: { attempt: Attempt; signal: AbortSignal; result: Promise<unknown> },
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => attempt.abort(signal.reason as WeftError);
    const finish = (): void => {
      attempt.stopTimer?.();
      signal.removeEventListener('abort', onAbort);
      if (attempt.expired) reject(attempt.expired);
      else resolve(result);
    };
    if (step.timeoutMs > 0) {
      limitTime(attempt, () => {
        run.noteAbandoned(step);
        finish();
      });
    }
    signal.addEventListener('abort', onAbort, { once: true });
    result.then(finish, finish);
  });
}
