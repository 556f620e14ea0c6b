import { asText, type Params } from '../params.ts';

/** Operations of services as operators of the services here, else as requests to their documented addresses. */

/** The parts of a request: values of the node's params as Weft writes them. */
export interface Given {
  /** A text with expressions; `otherwise` if it is not set. */
  text(path: string, otherwise?: string): string;
  /** An expression. */
  expr(path: string, otherwise?: string): string;
  value(path: string): unknown;
  /** As the file has it; undefined if it is left out there. */
  raw(path: string): unknown;
  number(path: string, otherwise: number): number;
  flag(path: string): boolean;
  list(path: string): Readonly<Record<string, unknown>>[];
  /** A text of a value that is at hand. */
  written(value: unknown): string;
  /** An expression of a value that is at hand. */
  said(value: unknown): string;
  /** The same params as `items` read them, after the request: there `input` is the answer. */
  readonly after: Given;
  /** A value that is at hand, as Weft writes it. */
  made(value: unknown): unknown;
  /** Notes a param that only matters to the form there. */
  seen(path: string): void;
  /** Tells how it differs here. */
  tell(message: string): void;
  /** The prefix of files of mails; undefined if they are not downloaded. */
  readonly prefix: string | undefined;
  /** Of the node there. */
  readonly version: number;
  /** An expression of the item that leads to it. */
  readonly item: string;
  /** A list of items leads to it. */
  readonly isList: boolean;
}

export interface Request {
  readonly method?: string;
  readonly url: string;
  readonly query?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly bodyType?: 'json' | 'form' | 'multipart' | 'bytes';
  readonly body?: unknown;
  /** The items of the answer, an expression over `one` and its `index`; the answer itself if it is left out. */
  readonly items?: string;
  /** The answer is a file, in this field. */
  readonly file?: string;
  /** It is sent without the connection, to an address that was given for it. */
  readonly open?: boolean;
  /** The answer is JSON, whatever its type says. */
  readonly isJson?: boolean;
}

/** An operator of a service here. */
export interface Use {
  readonly operator: string;
  /** Besides the connection; those that are not set are left out. */
  readonly params: Record<string, unknown>;
  /** As of a request. */
  readonly items?: string;
}

/** One of several requests; what works on a value may stand between them. */
export type Step = (Request | Use) & {
  /** It is sent again and again until this holds for `item.body` and `item.status`, its answer. */
  readonly until?: { readonly holds: string; readonly everySeconds: number; readonly seconds: number };
};

/** The last of several requests. */
export type Last = Step & {
  /** Instead of `items`: an expression of the only item, over `one`, the answer or the file that is one. */
  readonly item?: string;
};

/** Sends a request before the last one, and gives the expression of its answer; unless it is sent again and again, that is `input` for the next one. */
export type Ask = (hint: string, step: Step) => string;

/** Requests one after the other, for each item. */
export type Steps = (given: Given, ask: Ask) => Last;

/** By `resource.operation`. What takes several requests with some settings only is among the operations, too. */
export type Several = Readonly<
  Record<string, Steps | { readonly when: (params: Params) => boolean; readonly steps: Steps }>
>;

export interface Service {
  readonly kind: string;
  /** What it becomes besides requests, and how that differs; a sentence with a space behind it. */
  readonly becomes?: string;
  readonly difference?: string;
  /** Type of its credentials, if the node names none. */
  readonly credential: string;
  readonly first: readonly [resource: string, operation: string];
  /** A node without a credential asks without a connection. */
  readonly open?: boolean;
  /** Where one credential there is good for several hosts: the one of the connection, of the kind `http`. */
  readonly host?: string;
  /** The operations of other resources that are left out of files, since they are the first ones. */
  readonly firsts?: Readonly<Record<string, string>>;
  /** The param that names the operation; `operation` if it is left out. */
  readonly by?: string;
  /** By `resource.operation`. Throws `NotHere` for settings that it cannot follow. */
  readonly operations: Readonly<Record<string, (given: Given) => Request | Use>>;
  /** Operations of several requests for each item. */
  readonly several?: Several;
  /** Operations that wait for an answer at an address, which the request names. */
  readonly awaited?: Readonly<Record<string, (given: Given, address: string) => Request>>;
  /** What holds for items, `one`, that leave it by its second output. */
  readonly second?: string;
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
/** An operator with the params that are set. */
export const use = (operator: string, params: Record<string, unknown>, items?: string): Use => ({
  operator,
  params: some(params),
  ...(items !== undefined && { items }),
});
/** The files in fields of the item: `data`, or several with commas. */
export const filesIn = (g: Given, fields: string): string[] =>
  fields
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => `${g.item}?.[${JSON.stringify(one)}]`);
/** The fields of a list of names and values. */
export const pairs = (g: Given, path: string, [name, value] = ['name', 'value']): Record<string, unknown> =>
  Object.fromEntries(
    g.list(path).map((one) => [asText(one[name as string] ?? ''), g.made(one[value as string] ?? '')]),
  );
/** The limit of a list. */
export const mostOf = (g: Given, otherwise: number): number =>
  g.flag('returnAll') ? 10_000 : g.number('limit', otherwise);

/** The fields of a row by the names of their columns. */
export function rowOf(g: Given): unknown {
  if (g.text('columns.mappingMode', 'defineBelow') === 'autoMapInputData')
    return `{{ omit(${g.item}, ["row_number"]) }}`;
  const value = g.value('columns.value');
  const given = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const removed = g
    .list('columns.schema')
    .filter((one) => one['removed'] === true)
    .map((one) => asText(one['id']));
  const fields = given.filter(([name, one]) => !removed.includes(name) && one !== null);
  if (fields.length === 0) {
    g.tell('Its columns are not set, which is an error there too; write them into the node.');
    return '{{ not_imported("the columns, which are not set") }}';
  }
  return Object.fromEntries(fields);
}
