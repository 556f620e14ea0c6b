import { isLongerJson } from '#shared/json-length.ts';
import type { CacheNote } from '#shared/run-event.ts';
import type { CachePlace, KeptOutput, NoOutput, OutputCache } from '../base/services.ts';
import { draftName } from '../operators/_state-key.ts';
import { isPromise } from '../base/is-promise.ts';
import { isAsyncIterable } from '../base/item-stream.ts';
import type { StepCache } from '../plan/plan.ts';
import type { OutputService } from '../base/services.ts';
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
  if (cache.lasting && run.host.services?.outputs)
    return executeLasting(call, cache, run.host.services.outputs);
  const store = run.host.cache;
  if (store === undefined) return pass('no-cache');
  const key = keyOf(call, cache);
  if (typeof key !== 'string') return pass(key.refused);
  const place = placeOf(call, cache);
  const found = store.get(key, place);
  const now = run.host.now();
  if (isFresh(found, cache, now)) return reuse(call, cache, found, now);
  const result = pass(reasonOf(found));
  const kept = (value: unknown): unknown => keep(call, { store, key, at: now, value, place });
  return isPromise(result) ? result.then(kept) : kept(result);
}

/** The same with outputs on disk. */
async function executeLasting(call: Attempt, cache: StepCache, outputs: OutputService): Promise<unknown> {
  const { run, step } = call;
  const key = keyOf(call, cache);
  if (typeof key !== 'string') {
    note(call, { hit: false, reason: key.refused });
    return await step.run?.(call);
  }
  const place = placeOf(call, cache);
  const found = await outputs.get(key, place);
  const now = run.host.now();
  if (isFresh(found, cache, now)) return reuse(call, cache, found, now);
  note(call, { hit: false, reason: reasonOf(found) });
  const value = await step.run?.(call);
  const size = sizeOf(value);
  const { ttlMs } = cache;
  const entry = { value, at: now, run: run.id, ...(Number.isFinite(ttlMs) && { ttlMs }) };
  if (size === undefined) note(call, { hit: false, reason: 'not-storable' });
  else if (size > MAX_OUTPUT || !(await outputs.set(key, entry, place)))
    note(call, { hit: false, reason: 'output-too-large' });
  return value;
}

type Found = KeptOutput | NoOutput | undefined;

function isFresh(found: Found, { ttlMs }: StepCache, now: number): found is KeptOutput {
  return found !== undefined && 'at' in found && now - found.at <= ttlMs;
}

function reasonOf(found: Found): string {
  if (found === undefined) return 'first-time';
  return 'missing' in found ? found.missing : 'expired';
}

function reuse(call: Attempt, { key }: StepCache, { value, at, run }: KeptOutput, now: number): unknown {
  const reason = key ? 'same-key' : 'same-input';
  note(call, { hit: true, reason, ageMs: now - at, ...(run !== undefined && { run }) });
  return value;
}

function placeOf({ run, node }: Attempt, { definition }: StepCache): CachePlace {
  return { flow: ownerOf(run), node, definition };
}

/** Runs of drafts and live runs do not use each other's outputs. */
function ownerOf({ flow, isDraft }: Attempt['run']): string {
  return isDraft ? draftName(flow) : flow;
}

function note({ run, step }: Attempt, told: CacheNote): void {
  (run.cacheNotes ??= new Map()).set(step.index, told);
}

/**
 * With a key from the author, equal for this node of this version; otherwise for the operator, its params and its inputs. Files
 * and state belong to a flow, so what reads the outside is equal for this flow alone.
 */
function keyOf(call: Attempt, { key }: StepCache): string | { readonly refused: string } {
  const { version } = call.run;
  const flow = ownerOf(call.run);
  try {
    const parts = key ? [flow, version, call.node, key(call)] : [call.step.type, call.params, call.inputs];
    const own = isLongerJson(parts, MAX_KEY) ? undefined : JSON.stringify(parts);
    // Another flow, or another version, may not have the grant for the secret or connection that produced the output.
    const isGranted = own !== undefined && /"(?:\$secret|connection)":/.test(own);
    const place = isGranted ? [flow, version] : call.step.effects === 'pure' ? undefined : [flow];
    const text = place && own !== undefined ? JSON.stringify([...place, own]) : own;
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
  readonly place: CachePlace;
}

function keep(call: Attempt, { store, key, at, value, place }: Kept): unknown {
  const size = sizeOf(value);
  if (size === undefined) note(call, { hit: false, reason: 'not-storable' });
  else if (size > MAX_OUTPUT) note(call, { hit: false, reason: 'output-too-large' });
  // Two bytes per character, for the key and for the value.
  else if (!store.set(key, { value, at, run: call.run.id }, 2 * (key.length + size), place))
    note(call, { hit: false, reason: 'output-too-large' });
  return value;
}

/** In characters as JSON, or more than MAX_OUTPUT; undefined for streams and values that are not JSON. */
function sizeOf(value: unknown): number | undefined {
  if (isAsyncIterable(value)) return undefined;
  if (typeof value === 'object' && value !== null && Object.values(value).some(isAsyncIterable))
    return undefined;
  try {
    if (isLongerJson(value, MAX_OUTPUT)) return MAX_OUTPUT + 1;
    const text = JSON.stringify(value) ?? '';
    // A file belongs to its run; another one that got it from here could not open it.
    return text.includes('"$file":"f_') ? undefined : text.length;
  } catch {
    return undefined;
  }
}
