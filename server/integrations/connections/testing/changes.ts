type Value = string | number | boolean | object;

/** The old value of a setting, and changes of it that are refused or accepted without the hidden setting. */
export interface Line {
  readonly from: Value;
  readonly refused?: readonly Value[];
  readonly taken?: readonly Value[];
}

/** The changes that a stored password survives; each kind lists them in `changes.cases.ts`, for `kept-secrets.test.ts`. */
export interface Changes {
  /** The hidden setting that is always there; undefined if there is none. */
  readonly hidden: string | undefined;
  /** Others besides it and `proxyCredentials`. */
  readonly alsoHidden?: readonly string[];
  /** Every setting that is shown. */
  readonly lines: Readonly<Record<string, Line>>;
  /** A setting with a default: leaving it out is a change that is refused. */
  readonly left?: string;
}

/** Changes of the proxy of a connection, through which it would see what is sent in clear text. */
export const proxyLine = {
  proxy: {
    from: 'http://proxy.example:3128',
    refused: ['none', 'http://elsewhere.example:3128', 'socks5://proxy.example:3128'],
  },
} satisfies Record<string, Line>;

/** Changes for a server whose certificate is checked, besides the changes of its kind. */
export const serverLines = {
  host: { from: 'db.example', refused: ['elsewhere.example', 'localhost'] },
  port: { from: 6000, refused: [6001] },
  user: { from: 'weft', refused: ['admin'] },
  tls: { from: 'unverified', refused: ['off'], taken: ['verified'] },
  ca: { from: 'CA', refused: ['another CA'] },
  most: { from: 3, taken: [4] },
  ...proxyLine,
} satisfies Record<string, Line>;
