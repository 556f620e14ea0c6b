/** Operations of services as requests to their documented addresses. */

/** What a request is made of: values of the node's params as Weft writes them. */
export interface Given {
  /** A text with expressions; `otherwise` if it is not set. */
  text(path: string, otherwise?: string): string;
  /** An expression. */
  expr(path: string, otherwise?: string): string;
  value(path: string): unknown;
  number(path: string, otherwise: number): number;
  flag(path: string): boolean;
  list(path: string): Readonly<Record<string, unknown>>[];
  /** An expression or text of a value that is at hand. */
  said(value: unknown): string;
  written(value: unknown): string;
}

export interface Request {
  readonly method?: string;
  readonly url: string;
  readonly query?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly bodyType?: 'json' | 'form' | 'multipart' | 'bytes';
  readonly body?: unknown;
  /** The items of the answer, an expression over `one`; the answer itself if it is left out. */
  readonly items?: string;
  /** The answer is a file, in this field. */
  readonly file?: string;
}

export interface Service {
  readonly kind: string;
  /** Type of its credentials, if the node names none. */
  readonly credential: string;
  readonly first: readonly [resource: string, operation: string];
  /** By `resource.operation`. */
  readonly operations: Readonly<Record<string, (given: Given) => Request>>;
}

/** A part of an address. */
export const encoded = (expression: string): string => `{{ urlEncode(${expression}) }}`;
/** The fields that are set. */
export const some = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''));
export const post = (url: string, body: unknown, more: Partial<Request> = {}): Request => ({
  method: 'POST',
  url,
  bodyType: 'json',
  body,
  ...more,
});
