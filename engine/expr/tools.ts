import type * as LuxonModule from 'luxon';

export type Luxon = Pick<typeof LuxonModule, 'DateTime' | 'Duration' | 'FixedOffsetZone' | 'IANAZone'>;

/** A match of a pattern in a text. Groups that did not take part are null. */
export interface PatternMatch {
  readonly text: string;
  readonly index: number;
  readonly groups: readonly (string | null)[];
  readonly named: Readonly<Record<string, string | null>>;
}

/** A pattern in RE2's syntax. */
export interface Regex {
  test(text: string): boolean;
  /** All matches from left to right, searched on demand. */
  matches(text: string): Iterable<PatternMatch>;
}

/** Libraries that expressions use, which the engine does not have itself: they are large, and loaded when first used. */
export interface ExprTools {
  /** Compiles a regular expression that takes linear time. Throws on a bad pattern. */
  regex(pattern: string): Regex;
  dates(): Luxon;
  /** The digest of the text's UTF-8 bytes, in hexadecimal. */
  digest(algorithm: DigestAlgorithm, text: string): string;
}

export const digestAlgorithms = ['md5', 'sha1', 'sha256', 'sha384', 'sha512'] as const;
export type DigestAlgorithm = (typeof digestAlgorithms)[number];

/** What functions of the library get of their surroundings. */
export interface Facts {
  readonly tools: ExprTools;
  /** The zone in which times are read and written. */
  readonly timezone: string;
}

/** What changes from one evaluation to the next without being read from the scope: Unix milliseconds, and a number in [0, 1). */
export interface Moments<S> {
  start(scope: S): number;
  now(scope: S): number;
  random(scope: S): number;
}
