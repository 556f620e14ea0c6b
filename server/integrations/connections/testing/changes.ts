type Value = string | number | boolean | object;

/** A setting as it was, and changes to it that are refused or taken without the hidden setting. */
export interface Line {
  readonly from: Value;
  readonly refused?: readonly Value[];
  readonly taken?: readonly Value[];
}

/** What may change while a stored password stays; each kind has it in `changes.cases.ts`, for `kept-secrets.test.ts`. */
export interface Changes {
  /** The hidden setting; undefined if there is none. */
  readonly hidden: string | undefined;
  /** Every setting that is shown. */
  readonly lines: Readonly<Record<string, Line>>;
  /** One with a default: leaving it out is a change that is refused. */
  readonly left?: string;
}

/** Of a server whose certificate is checked, besides what else it has. */
export const serverLines = {
  host: { from: 'db.example', refused: ['elsewhere.example', 'localhost'] },
  port: { from: 6000, refused: [6001] },
  user: { from: 'weft', refused: ['admin'] },
  tls: { from: 'unverified', refused: ['off'], taken: ['verified'] },
  ca: { from: 'CA', refused: ['another CA'] },
  most: { from: 3, taken: [4] },
} satisfies Record<string, Line>;
