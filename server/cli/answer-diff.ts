/** An answer as far as it is compared. */
export interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
}

/** One difference; an end that is undefined was or is not there. */
export interface Change {
  /** `status`, `content-type`, or a place in the body: `body`, `body.items[0].name`. */
  readonly place: string;
  readonly before: unknown;
  readonly after: unknown;
}

const MAX_CHANGES = 20;
const MAX_SHOWN = 200;

/** What changed between two answers, JSON bodies field by field. Empty when they are the same. */
export function answerDiff(before: Answer, after: Answer): Change[] {
  const changes: Change[] = [];
  if (before.status !== after.status) {
    changes.push({ place: 'status', before: before.status, after: after.status });
  }
  if (before.type !== after.type) {
    changes.push({ place: 'content-type', before: before.type, after: after.type });
  }
  if (before.body !== after.body) compare('body', bodyOf(before), bodyOf(after), changes);
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

/** Answers of flows are at most 200 levels deep, so this can follow them. */
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Changes as lines for people: `place: before → after`, long values cut around where they begin to differ. */
export function changeLines(changes: readonly Change[]): string[] {
  const lines = changes.slice(0, MAX_CHANGES).map(changeLine);
  const left = changes.length - lines.length;
  return left > 0 ? [...lines, `… and ${left} more`] : lines;
}

function changeLine({ place, before, after }: Change): string {
  if (before === undefined) return `${place}: + ${excerpt(text(after), 0)}`;
  if (after === undefined) return `${place}: - ${excerpt(text(before), 0)}`;
  const [old, now] = [text(before), text(after)];
  const start = Math.max(0, firstDifference(old, now) - 40);
  return `${place}: ${excerpt(old, start)} → ${excerpt(now, start)}`;
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}

function firstDifference(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  return i;
}

function excerpt(whole: string, start: number): string {
  if (whole.length <= MAX_SHOWN) return whole;
  const end = start + MAX_SHOWN;
  return `${start > 0 ? '…' : ''}${whole.slice(start, end)}${end < whole.length ? '…' : ''}`;
}
