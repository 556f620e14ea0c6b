import { badFlow, type FlowDraft, type NodeOptions } from './draft.ts';
import { applied, type InlineCall, type InlineKind, inlineOperator } from './inline.ts';

/** Options of a node that is an inline function. */
export interface InlineOptions extends NodeOptions {
  /** The function always returns the same result for the same value and reads nothing outside, so it need not be recorded. */
  readonly pure?: boolean;
}

/** The error that a node failed with, on its output `error`. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly node?: string;
  readonly attempt?: number;
  readonly data?: unknown;
}

/** An output of a node, of either kind, as `f.node` and similar methods take it. */
export class Port<T> {
  /** Only carries the type; never set. */
  declare readonly type?: T;
  readonly draft: FlowDraft;
  readonly node: string;
  readonly port: string;
  /** The path of the field that edges from here carry in place of the whole value. */
  readonly field: string | undefined;

  constructor(draft: FlowDraft, node: string, port: string, field?: string) {
    this.draft = draft;
    this.node = node;
    this.port = port;
    this.field = field;
  }

  /** A text in which `{{ }}` is filled in from this value, as the operator text.template does. */
  protected addTemplate(template: string, options?: NodeOptions): string {
    const id = this.draft.addNode('template', 'text.template', { template }, options);
    connect(this, `${id}.in`);
    return id;
  }

  /** The error of the node that this is an output of. Its failure then no longer ends the run. */
  failure(): Value<Failure> {
    this.draft.routeErrors(this.node);
    return new Value(this.draft, this.node, 'error');
  }

  /** Adds a node for an inline function over this output. */
  protected addInline(
    kind: InlineKind,
    fn: (value: never, call: InlineCall) => unknown,
    then: (result: unknown, value: unknown) => unknown,
    { pure = false, ...options }: InlineOptions,
  ): string {
    const operator = inlineOperator(this.draft.id, kind, applied(fn, then), pure);
    const id = this.draft.addInline(
      fn.name === '' ? kind.title.toLowerCase() : fn.name,
      operator,
      String(fn),
      options,
    );
    connect(this, `${id}.in`);
    return id;
  }
}

/** Draws an edge. */
export function connect(from: Port<unknown>, to: string, order?: number): void {
  const { draft, node, port, field } = from;
  draft.addEdge({
    from: `${node}.${port}`,
    ...(field !== undefined && { pick: field }),
    to,
    ...(order !== undefined && { order }),
  });
}

/** Throws if an output belongs to another flow. */
export function assertOwn(draft: FlowDraft, ports: readonly Port<unknown>[]): void {
  if (ports.some((port) => port.draft !== draft))
    throw badFlow('A value of another flow is used; a flow has only its own nodes.');
}

/** A function that returns nothing outputs null, as in a code node. */
const orNull = (result: unknown): unknown => (result === undefined ? null : result);

const MAP: InlineKind = {
  title: 'Map',
  doc: 'Calls a function.',
  icon: 'square-function',
  outputs: ['out'],
  lift: true,
};
const FILTER: InlineKind = {
  title: 'Filter',
  doc: 'Passes on the items for which a function is true.',
  icon: 'filter',
  outputs: ['out'],
  lift: true,
};
const IF: InlineKind = {
  title: 'If',
  doc: 'Asks a function which branch to take.',
  icon: 'split',
  outputs: ['then', 'else'],
};
const STREAM: InlineKind = {
  title: 'Stream',
  doc: 'Calls a generator function.',
  icon: 'list-start',
  outputs: ['out'],
  stream: true,
};

/** A single value between two nodes. */
export class Value<T> extends Port<T> {
  /**
   * A field of this value, without a node of its own: the edges from it carry the field (`pick`). A value without the field fails the
   * node that reads it. A path such as `order.lines[0]` takes the type that the author states.
   */
  pick<K extends keyof T & string>(field: K): Value<T[K]>;
  pick<U>(path: string): Value<U>;
  pick(path: string): Value<unknown> {
    const { field, draft, node, port } = this;
    const joint = field === undefined || path.startsWith('[') ? '' : '.';
    return new Value(draft, node, port, `${field ?? ''}${joint}${path}`);
  }

  /** A node that calls `fn`; it is named after the function. */
  map<U>(fn: (value: T, call: InlineCall) => U, options: InlineOptions = {}): Value<Awaited<U>> {
    return new Value(this.draft, this.addInline(MAP, fn, orNull, options), 'out');
  }

  /** Skips the nodes after it if `test` does not hold. */
  filter<S extends T>(test: (value: T, call: InlineCall) => value is S, options?: InlineOptions): Value<S>;
  filter(test: (value: T, call: InlineCall) => unknown, options?: InlineOptions): Value<T>;
  filter(test: (value: T, call: InlineCall) => unknown, options: InlineOptions = {}): Value<T> {
    const pass = (holds: unknown, value: unknown): unknown => (holds ? value : undefined);
    return new Value(this.draft, this.addInline(FILTER, test, pass, options), 'out');
  }

  /** Continues with `then` or with `else`; the nodes after the other one are skipped. */
  if<S extends T>(
    test: (value: T, call: InlineCall) => value is S,
    options?: InlineOptions,
  ): { then: Value<S>; else: Value<Exclude<T, S>> };
  if(
    test: (value: T, call: InlineCall) => unknown,
    options?: InlineOptions,
  ): { then: Value<T>; else: Value<T> };
  if(
    test: (value: T, call: InlineCall) => unknown,
    options: InlineOptions = {},
  ): { then: Value<T>; else: Value<T> } {
    const choose = (holds: unknown, value: unknown): unknown => (holds ? { then: value } : { else: value });
    const id = this.addInline(IF, test, choose, options);
    return { then: new Value(this.draft, id, 'then'), else: new Value(this.draft, id, 'else') };
  }

  /** Continues with the branch that `choose` names; `ways` lists all branches. */
  switch<const W extends string>(
    ways: readonly W[],
    choose: (value: T, call: InlineCall) => W | Promise<W>,
    options: InlineOptions = {},
  ): { [K in W]: Value<T> } {
    const kind = { ...SWITCH, outputs: ways };
    const id = this.addInline(kind, choose, (way, value) => ({ [String(way)]: value }), options);
    return Object.fromEntries(ways.map((way) => [way, new Value(this.draft, id, way)])) as {
      [K in W]: Value<T>;
    };
  }

  /** A stream of what a generator function yields. */
  stream<U>(fn: (value: T, call: InlineCall) => AsyncIterable<U>, options: InlineOptions = {}): Stream<U> {
    return new Stream(
      this.draft,
      this.addInline(STREAM, fn, (stream) => stream, options),
      'out',
    );
  }

  /** The items of a list, one by one. */
  items(options?: NodeOptions): Stream<T extends readonly (infer E)[] ? E : unknown> {
    const id = this.draft.addNode('items', 'core.streamify', {}, options);
    connect(this, `${id}.in`);
    return new Stream(this.draft, id, 'out');
  }

  template(template: string, options?: NodeOptions): Value<string> {
    return new Value(this.draft, this.addTemplate(template, options), 'out');
  }
}

const SWITCH: Omit<InlineKind, 'outputs'> = {
  title: 'Switch',
  doc: 'Asks a function which branch to take.',
  icon: 'route',
};

/** A stream between two nodes; functions are called once per item, in order. */
export class Stream<T> extends Port<T> {
  map<U>(fn: (item: T, call: InlineCall) => U, options: InlineOptions = {}): Stream<Awaited<U>> {
    return new Stream(this.draft, this.addInline(MAP, fn, orNull, options), 'out');
  }

  filter<S extends T>(test: (item: T, call: InlineCall) => item is S, options?: InlineOptions): Stream<S>;
  filter(test: (item: T, call: InlineCall) => unknown, options?: InlineOptions): Stream<T>;
  filter(test: (item: T, call: InlineCall) => unknown, options: InlineOptions = {}): Stream<T> {
    const pass = (holds: unknown, item: unknown): unknown => (holds ? item : undefined);
    return new Stream(this.draft, this.addInline(FILTER, test, pass, options), 'out');
  }

  /** All items as one list, once the stream has ended. */
  collect({ maxItems, ...options }: NodeOptions & { readonly maxItems?: number } = {}): Value<T[]> {
    const id = this.draft.addNode(
      'collect',
      'core.unstreamify',
      maxItems === undefined ? {} : { maxItems },
      options,
    );
    connect(this, `${id}.in`);
    return new Value(this.draft, id, 'out');
  }

  template(template: string, options?: NodeOptions): Stream<string> {
    return new Stream(this.draft, this.addTemplate(template, options), 'out');
  }
}
