import { isLongerJson } from '#shared/json-length.ts';
import type { CacheNote } from '#shared/run-event.ts';
import type { OutputCache } from '../host.ts';
import { isPromise } from '../is-promise.ts';
import { isAsyncIterable } from '../item-stream.ts';
import type { StepCache } from '../plan/plan.ts';
import type { Attempt } from './state.ts';

/** Longest key in characters: a larger key costs more to compare than it is likely to save. */
const MAX_KEY = 1_000_000;
/** Longest output that is stored, in characters. */
const MAX_OUTPUT = 10_000_000;

/**
 * Executes an attempt of a step with `cache`, or reuses the output of an earlier attempt for the same input, and notes which
 * and why. Only outputs of successful attempts are stored.
 */
export function executeCached(call: Attempt, cache: StepCache): unknown {
  const { run, step } = call;
  const pass = (reason: string): unknown => {
    note(call, { hit: false, reason });
    return step.run?.(call);
  };
  if (cache.given !== undefined) {
    note(call, { hit: true, reason: cache.given });
    return step.run?.(call);
  }
  if (cache.refused !== undefined) return pass(cache.refused);
  const store = run.host.cache;
  if (store === undefined) return pass('no-cache');
  const key = keyOf(call, cache);
  if (typeof key !== 'string') return pass(key.refused);
  const found = store.get(key);
  const now = run.host.now();
  if (found && now - found.at <= cache.ttlMs) {
    note(call, { hit: true, reason: cache.key ? 'same-key' : 'same-input', ageMs: now - found.at });
    return found.value;
  }
  const result = pass(found ? 'expired' : 'first-time');
  const kept = (value: unknown): unknown => keep(call, { store, key, at: now, value });
  return isPromise(result) ? result.then(kept) : kept(result);
}

function note({ run, step }: Attempt, told: CacheNote): void {
  (run.cacheNotes ??= new Map()).set(step.index, told);
}

/** With a key from the author, equal for this node of this version; otherwise for the operator, its params and its inputs. */
function keyOf(call: Attempt, { key }: StepCache): string | { readonly refused: string } {
  const { flow, version } = call.run;
  try {
    const parts = key ? [flow, version, call.node, key(call)] : [call.step.type, call.params, call.inputs];
    const own = isLongerJson(parts, MAX_KEY) ? undefined : JSON.stringify(parts);
    // Another flow, or another version, may not have the grant for the secret that produced the output.
    const text = own?.includes('"$secret":') === true ? JSON.stringify([flow, version, own]) : own;
    return text === undefined || text.length > MAX_KEY ? { refused: 'input-too-large' } : text;
  } catch (error) {
    // If an expression fails, the node fails; with a cycle or the like, only the comparison is impossible.
    if (key) throw error;
    return { refused: 'not-comparable' };
  }
}

interface Kept {
  readonly store: OutputCache;
  readonly key: string;
  readonly at: number;
  readonly value: unknown;
}

function keep(call: Attempt, { store, key, at, value }: Kept): unknown {
  const size = sizeOf(value);
  if (size === undefined) note(call, { hit: false, reason: 'not-storable' });
  else if (size > MAX_OUTPUT) note(call, { hit: false, reason: 'output-too-large' });
  // Two bytes per character, for the key and for the value.
  else if (!store.set(key, { value, at }, 2 * (key.length + size)))
    note(call, { hit: false, reason: 'output-too-large' });
  return value;
}

/** In characters as JSON, or more than MAX_OUTPUT; undefined for streams and values that are not JSON. */
function sizeOf(value: unknown): number | undefined {
  if (isAsyncIterable(value)) return undefined;
  if (typeof value === 'object' && value !== null && Object.values(value).some(isAsyncIterable))
    return undefined;
  try {
    return isLongerJson(value, MAX_OUTPUT) ? MAX_OUTPUT + 1 : (JSON.stringify(value)?.length ?? 0);
  } catch {
    return undefined;
  }
}
