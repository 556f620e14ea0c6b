import type { TriggerAuthParam } from '../operators/trigger/_auth.ts';
import { badFlow, type FlowDraft, type NodeOptions } from './draft.ts';
import type { FromSchema } from './from-schema.ts';
import { assertOwn, connect, Port, Stream, Value } from './values.ts';

/** The settings of `f.trigger.http`: the params of the operator trigger.http. The request schema gives the value its type. */
export interface HttpTrigger<R> extends NodeOptions {
  readonly path: string;
  readonly methods?: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[];
  readonly auth?: TriggerAuthParam;
  readonly request?: R;
  readonly accept?: readonly ('json' | 'form' | 'text')[];
  readonly answer?: 'result' | 'immediately';
  readonly response?: {
    readonly as?: string;
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

/** An input of a join that may have no value. */
export interface Optional<T> {
  readonly optional: Value<T>;
}

type Joined = Readonly<Record<string, Value<unknown> | Optional<unknown>>>;

type JoinedValue<I> = {
  [K in keyof I as I[K] extends Optional<unknown> ? never : K]: I[K] extends Value<infer T> ? T : never;
} & {
  [K in keyof I as I[K] extends Optional<unknown> ? K : never]?: I[K] extends Optional<infer T> ? T : never;
};

/** The answer of a respond node; its type is the flow's result. */
export class Responded<T> {
  declare readonly type?: T;
}

/** A node of any operator. */
export class NodeHandle {
  readonly id: string;
  private readonly draft: FlowDraft;

  constructor(draft: FlowDraft, id: string) {
    this.draft = draft;
    this.id = id;
  }

  /** A value output. The author states its type, since only the operator knows it. */
  output<T = unknown>(port = 'out'): Value<T> {
    return new Value(this.draft, this.id, port);
  }

  /** A stream output. */
  stream<T = unknown>(port = 'out'): Stream<T> {
    return new Stream(this.draft, this.id, port);
  }
}

type Inputs = Readonly<Record<string, Port<unknown> | readonly Port<unknown>[]>>;

/** The builder that the function of a code-first flow gets. Each method adds a node (and the edges into it). */
export class FlowBuilder {
  private readonly draft: FlowDraft;

  constructor(draft: FlowDraft) {
    this.draft = draft;
  }

  readonly trigger = {
    /** Starts the flow when a request comes to its path. */
    http: <const R extends Readonly<Record<string, unknown>>>(
      trigger: HttpTrigger<R>,
    ): Value<FromSchema<R>> => {
      const { path, methods, auth, request, accept, answer, response, ...options } = trigger;
      const given = { path, methods, auth, request, accept, answer, response };
      const params = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      return new Value(this.draft, this.draft.addNode('trigger', 'trigger.http', params, options), 'out');
    },
    /** Starts the flow by hand; `input` is the JSON Schema of its input. */
    manual: <const R extends Readonly<Record<string, unknown>>>({
      input,
      ...options
    }: NodeOptions & { readonly input?: R } = {}): Value<FromSchema<R>> => {
      const params = input === undefined ? {} : { input };
      return new Value(this.draft, this.draft.addNode('trigger', 'trigger.manual', params, options), 'out');
    },
  };

  /** A node of any operator, `group.name`. A single output is connected to its input `in`; several are given by input name. */
  node(
    operator: string,
    params: Readonly<Record<string, unknown>> = {},
    inputs: Inputs | Port<unknown> = {},
    options?: NodeOptions,
  ): NodeHandle {
    const wanted = operator.slice(operator.indexOf('.') + 1).replaceAll('-', '_');
    const id = this.draft.addNode(wanted, operator, params, options);
    const byName = inputs instanceof Port ? { in: inputs } : inputs;
    for (const [name, given] of Object.entries(byName)) this.feed(`${id}.${name}`, given);
    return new NodeHandle(this.draft, id);
  }

  /** Waits for several values and combines them by name. It is skipped if one that is not optional is missing. */
  join<I extends Joined>(inputs: I, options?: NodeOptions): Value<JoinedValue<I>> {
    const ports = Object.entries(inputs).map(([name, given]) =>
      given instanceof Value
        ? { name, required: true, from: given }
        : { name, required: false, from: given.optional },
    );
    const params = { inputs: ports.map(({ name, required }) => ({ name, required })) };
    const edges = Object.fromEntries(ports.map(({ name, from }) => [name, from]));
    return this.node('core.join', params, edges, options).output();
  }

  /** For `join`: the value may be missing. */
  optional<T>(value: Value<T>): Optional<T> {
    return { optional: value };
  }

  /** Merges branches: passes on the first live value, in the order given. */
  merge<V extends readonly Value<unknown>[]>(
    ...values: V
  ): Value<V[number] extends Value<infer T> ? T : never> {
    return this.node('core.merge', {}, { in: values }).output();
  }

  /** Answers the caller with this value. */
  respond<T>(
    value: Port<T>,
    { status, headers, ...options }: NodeOptions & { status?: number; headers?: Record<string, string> } = {},
  ): Responded<T> {
    const params = { ...(status !== undefined && { status }), ...(headers && { headers }) };
    this.node('core.respond', params, value, options);
    return new Responded();
  }

  private feed(to: string, given: Port<unknown> | readonly Port<unknown>[]): void {
    const ports = given instanceof Port ? [given] : given;
    if (!Array.isArray(ports) || !ports.every((port) => port instanceof Port))
      throw badFlow(`The input ${to} takes an output of a node, or a list of outputs.`);
    assertOwn(this.draft, ports);
    ports.forEach((port, order) => connect(port, to, given instanceof Port ? undefined : order));
  }
}
