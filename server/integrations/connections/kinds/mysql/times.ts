import { WeftError } from '#engine';

/** A time of ISO 8601 with a zone. Columns of MySQL and MariaDB do not accept it, because they have no zone. */
const ZONED = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:(Z)|([+-]\d\d)(?::?(\d\d))?)$/;

/** The same time in UTC, the zone of all sessions, as columns accept it; undefined for any other value. */
export function utcTime(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 40) return undefined;
  const [, day, time, seconds = '00', fraction, zulu, hours = '+00', minutes = '00'] =
    ZONED.exec(value) ?? [];
  if (day === undefined) return undefined;
  const at = Date.parse(`${day}T${time}:${seconds}${zulu ?? `${hours}:${minutes}`}`);
  if (Number.isNaN(at)) return undefined;
  const rest = fraction === undefined ? '' : `.${fraction.slice(0, 6)}`;
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}${rest}`;
}

/** Whether a value is a time with an offset, which a comparison would drop without an error. */
export function hasOffset(value: unknown): boolean {
  return utcTime(value) !== undefined && !(value as string).endsWith('Z');
}

const INCORRECT = /incorrect (?:date|datetime|time|timestamp) value: '([^']*)'/i;
const CODES = new Set([1292, 1525]);

/** The refusal of a time by the server. */
export interface TimeRefusal {
  readonly value: string;
  readonly message: string;
}

export function timeRefusal(errno: unknown, message: unknown): TimeRefusal | undefined {
  if (typeof message !== 'string' || !CODES.has(Number(errno))) return undefined;
  const value = INCORRECT.exec(message)?.[1];
  // The server refuses the same column of another row for the same reason.
  return value === undefined ? undefined : { value, message: message.replace(/ at row \d+$/, '') };
}

/**
 * Finds the placeholders for time columns. Only a refusal identifies them: the server reports no types of placeholders, and a
 * text column accepts the same value unchanged. Each placeholder is tried after the server refuses its value.
 */
export class Times {
  private readonly found: Set<number>;
  private refusal: TimeRefusal | undefined = undefined;
  private left: number[] = [];
  private trying: readonly number[] = [];
  private isLast = false;

  constructor(found: Iterable<number> = []) {
    this.found = new Set(found);
  }

  /** The placeholders found so far. */
  get places(): ReadonlySet<number> {
    return this.found;
  }

  apply<T>(values: readonly T[]): (T | string)[] {
    return values.map((value, i) => (this.found.has(i) ? (utcTime(value) ?? value) : value));
  }

  /** Whether another attempt after this refusal can succeed. */
  next(refusal: TimeRefusal, values: readonly unknown[]): boolean {
    if (refusal.message === this.refusal?.message) {
      for (const place of this.trying) this.found.delete(place);
    } else {
      this.refusal = refusal;
      this.isLast = false;
      this.left = this.candidates(refusal.value, values);
    }
    const place = this.left.shift();
    if (place !== undefined) return this.try([place]);
    // The message does not identify which of several comparisons failed.
    const all = this.candidates(refusal.value, values);
    if (this.isLast || all.length < 2) return false;
    this.isLast = true;
    return this.try(all);
  }

  private try(places: readonly number[]): true {
    this.trying = places;
    for (const place of places) this.found.add(place);
    return true;
  }

  private candidates(refused: string, values: readonly unknown[]): number[] {
    return values.flatMap((value, i) =>
      value === refused && !this.found.has(i) && utcTime(value) !== undefined ? [i] : [],
    );
  }
}

/** The error for a time whose offset was ignored in rows that were already passed on. */
export function inUtc(error: unknown): unknown {
  const { errno, sqlMessage } = error as { readonly errno?: unknown; readonly sqlMessage?: unknown };
  const refusal = timeRefusal(errno, sqlMessage);
  const utc = utcTime(refusal?.value);
  if (refusal === undefined || utc === undefined) return error;
  return new WeftError(
    'sql_failed',
    `The database ignored the offset of ${refusal.value}, so it returned other rows than requested: give the time in UTC (${utc.replace(' ', 'T')}Z), or read with sql.query.`,
    { data: { errno } },
  );
}
