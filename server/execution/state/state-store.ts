import { type StateService, WeftError } from '#engine';
import { toJson } from '../../access/answers/serialise.ts';

/**
 * The values that flows store between runs. `state.contract.ts` tests every implementation.
 * STA1. Every read that starts after a value was set sees it, even by another process on the same folder.
 * STA2. An addition is one step: none is lost or counted twice, however many happen at once.
 * STA3. An expired value no longer exists, whether or not it has been deleted.
 */
export type StateStore = StateService;

/** Size of one value as JSON, in characters. */
export const MAX_STATE_VALUE = 1_000_000;
const MAX_KEY = 500;
/** How long an addition is remembered by its `once`, in milliseconds. */
export const ONCE_MS = 86_400_000;
/** The number of writes after which expired values are deleted. */
export const SWEEP_EVERY = 1000;

/** The value as text. Throws `value_too_large`, `not_serialisable`, `bad_number`. */
export function encodeState(key: string, value: unknown): string {
  const json = toJson(value);
  if (json.length <= MAX_STATE_VALUE) return json;
  throw new WeftError(
    'value_too_large',
    `The value for \`${key}\` has ${json.length} characters of JSON; state stores at most ${MAX_STATE_VALUE} under one key.`,
  );
}

/** Throws `bad_input` for a key that is empty, too long or no text. */
export function checkKey(key: string): void {
  if (typeof key === 'string' && key.length > 0 && key.length <= MAX_KEY) return;
  throw new WeftError('bad_input', `The key of a stored value is a text of 1 to ${MAX_KEY} characters.`, {
    field: 'params.key',
  });
}

/** Undefined counts as 0. Throws `bad_state`. */
export function sumOf(key: string, before: unknown, by: number): number {
  const sum = before === undefined ? by : typeof before === 'number' ? before + by : Number.NaN;
  if (Number.isFinite(sum)) return sum;
  throw new WeftError(
    'bad_state',
    `What is stored under \`${key}\` is not a number that ${by} can be added to; store a number first, or use another key.`,
  );
}

/** When a value with this lifetime expires; undefined for never. */
export function endOf(now: number, ttlMs: number | undefined): number | undefined {
  return ttlMs === undefined ? undefined : now + ttlMs;
}
