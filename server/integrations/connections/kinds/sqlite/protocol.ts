/** A statement whose placeholders are `:p1`, `:p2` and so on. */
export interface HostStatement {
  readonly text: string;
  readonly values: readonly HostValue[];
  /** The form of bytes in rows. */
  readonly bytes: 'base64' | 'object';
}

export type HostValue = string | number | bigint | Uint8Array | null;

export interface HostLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** A request of the server; one is under way at a time. */
export type HostRequest =
  | { readonly op: 'about' | 'tables' | 'close' }
  /** Compiles the statement and executes nothing. */
  | { readonly op: 'describe'; readonly statement: HostStatement }
  /** `isForeign`: no computed value is longer than `maxBytes`, and the process has a memory limit. */
  | ({ readonly op: 'query'; readonly statement: HostStatement; readonly isForeign: boolean } & HostLimits)
  | ({ readonly op: 'execute'; readonly statements: readonly HostStatement[] } & HostLimits)
  /** Begins to read; `next` returns batches of at most `rows` rows, and an empty one at the end. */
  | { readonly op: 'begin'; readonly statement: HostStatement; readonly rows: number }
  | { readonly op: 'next' };

/** A column of the result of a statement. */
export interface HostColumn {
  readonly name: string;
  /** The type that its table declares; null for a computed column. */
  readonly type: string | null;
  /** Whether its table declares it NOT NULL. */
  readonly never: boolean;
  /** Whether its table enforces the declared types. */
  readonly strict: boolean;
  /** Whether it is the rowid, which is always a whole number. */
  readonly rowid: boolean;
  /** Whether the statement may read it through a view. */
  readonly throughView: boolean;
}

export type HostRow = Record<string, unknown>;

export type HostReply =
  | { readonly value: unknown }
  | { readonly failed: { readonly code: number | undefined; readonly message: string } }
  /** The limit of rows or bytes was exceeded. */
  | { readonly over: 'rows' | 'bytes' }
  /** Two of these columns have the same name. */
  | { readonly columns: readonly string[] };

export interface HostSetup {
  readonly file: string;
  readonly readOnly: boolean;
}
