import { isRecord } from '#shared/json.ts';
/** One difference; an undefined side was or is missing. */
export interface Change {
  /** Such as `body`, `body.items[0].name` or `greet.out["a key"]`. */
  readonly place: string;
  readonly before: unknown;
  readonly after: unknown;
}

const MAX_SHOWN = 200;

/** Where two JSON values differ, field by field, from the outside in. Values of flows are at most 200 levels deep. */
export function jsonChanges(place: string, before: unknown, after: unknown): Change[] {
  const changes: Change[] = [];
  compare(place, before, after, changes);
  return changes;
}

function compare(place: string, before: unknown, after: unknown, changes: Change[]): void {
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    for (let i = 0; i < length; i++) compare(`${place}[${i}]`, before[i], after[i], changes);
  } else if (isRecord(before) && isRecord(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(`${place}${keyText(key)}`, own(before, key), own(after, key), changes);
    }
  } else if (before !== after) changes.push({ place, before, after });
}

function own(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function keyText(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** A value for people: as JSON, and `nothing` for a missing one. */
export function valueText(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}

/** The part of a text from `start` on that fits on a line. */
export function excerpt(whole: string, start = 0): string {
  if (whole.length <= MAX_SHOWN) return whole;
  const end = start + MAX_SHOWN;
  return `${start > 0 ? '…' : ''}${whole.slice(start, end)}${end < whole.length ? '…' : ''}`;
}
