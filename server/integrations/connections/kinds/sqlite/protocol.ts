/** A statement whose placeholders are `:p1`, `:p2` and so on. */
export interface HostStatement {
  readonly text: string;
  readonly values: readonly HostValue[];
  /** How rows hold bytes. */
  readonly bytes: 'base64' | 'object';
}

export type HostValue = string | number | bigint | Uint8Array | null;

export interface HostLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** What the server asks; there is one question at a time. */
export type HostRequest =
  | { readonly op: 'about' | 'tables' | 'close' }
  /** Compiles the statement and executes nothing. */
  | { readonly op: 'describe'; readonly statement: HostStatement }
  /** `isForeign`: no value that it computes is longer than `maxBytes`, and the process has a limit of memory. */
  | ({ readonly op: 'query'; readonly statement: HostStatement; readonly isForeign: boolean } & HostLimits)
  | ({ readonly op: 'execute'; readonly statements: readonly HostStatement[] } & HostLimits)
  /** Begins to read; `next` gives pieces of at most `rows` rows, and none at the end. */
  | { readonly op: 'begin'; readonly statement: HostStatement; readonly rows: number }
  | { readonly op: 'next' };

/** A column that a statement gives. */
export interface HostColumn {
  readonly name: string;
  /** As its table declares it; null for what is computed. */
  readonly type: string | null;
  /** Its table declares that it is never null. */
  readonly never: boolean;
  /** Its table holds nothing but values of the declared types. */
  readonly strict: boolean;
  /** It is the number of the row, and so always a whole number. */
  readonly rowid: boolean;
  /** The statement may read it through a view. */
  readonly throughView: boolean;
}

export type HostRow = Record<string, unknown>;

export type HostReply =
  | { readonly value: unknown }
  | { readonly failed: { readonly code: number | undefined; readonly message: string } }
  /** More rows or bytes than may be. */
  | { readonly over: 'rows' | 'bytes' }
  /** Two of these columns have one name. */
  | { readonly columns: readonly string[] };

export interface HostSetup {
  readonly file: string;
  readonly readOnly: boolean;
}
