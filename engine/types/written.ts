import { isRecord } from '../flow/request-keywords.ts';

/** Params as the flow has them: what is written out, as far as it does not take a run to know it. */

/** Names that are written out; undefined where only a run knows them. */
export function writtenNames(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every(isWritten) ? value : undefined;
}

/** Texts by name that are written out; undefined where only a run knows them. */
export function writtenPairs(value: unknown): ReadonlyMap<string, string> | undefined {
  if (!isRecord(value)) return undefined;
  const pairs = Object.entries(value).filter((pair): pair is [string, string] => isWritten(pair[1]));
  return pairs.length === Object.keys(value).length ? new Map(pairs) : undefined;
}

export function isWritten(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('{{');
}

export function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
