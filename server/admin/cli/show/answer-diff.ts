import {
  type Change,
  excerpt,
  jsonChanges,
  valueText,
} from '../../../execution/history/diff/json-changes.ts';

/** The compared parts of an answer. */
export interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
}

const MAX_CHANGES = 20;

/** The changes between two answers, JSON bodies field by field. Empty if they are equal. */
export function answerDiff(before: Answer, after: Answer): Change[] {
  const changes: Change[] = [];
  if (before.status !== after.status) {
    changes.push({ place: 'status', before: before.status, after: after.status });
  }
  if (before.type !== after.type) {
    changes.push({ place: 'content-type', before: before.type, after: after.type });
  }
  if (before.body !== after.body) changes.push(...jsonChanges('body', bodyOf(before), bodyOf(after)));
  return changes;
}

function bodyOf({ type, body }: Answer): unknown {
  if (body === '') return undefined;
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type ?? '')) return body;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}

/** Changes as lines for people: `place: before → after`, long values are cut around their first difference. */
export function changeLines(changes: readonly Change[]): string[] {
  const lines = changes.slice(0, MAX_CHANGES).map(changeLine);
  const left = changes.length - lines.length;
  return left > 0 ? [...lines, `… and ${left} more`] : lines;
}

function changeLine({ place, before, after }: Change): string {
  if (before === undefined) return `${place}: + ${excerpt(valueText(after))}`;
  if (after === undefined) return `${place}: - ${excerpt(valueText(before))}`;
  const [old, now] = [valueText(before), valueText(after)];
  const start = Math.max(0, firstDifference(old, now) - 40);
  return `${place}: ${excerpt(old, start)} → ${excerpt(now, start)}`;
}

function firstDifference(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  return i;
}
