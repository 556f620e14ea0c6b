import type { Flow } from '#shared/flow.ts';
import type { Operator } from '../base/operator.ts';
import { FlowBuilder, type Responded } from './builder.ts';
import { badFlow, FlowDraft } from './draft.ts';
import type { Stream, Value } from './values.ts';

const BRAND = Symbol.for('weft.code-flow');

/** A flow written in code: the flow object as in a file, and the operators of its inline functions. */
export class CodeFlow<R = unknown> {
  /** Only carries the type of the result; never set. */
  declare readonly result?: R;
  readonly [BRAND] = true;
  readonly flow: Flow;
  readonly operators: ReadonlyMap<string, Operator>;

  constructor(flow: Flow, operators: ReadonlyMap<string, Operator>) {
    this.flow = flow;
    this.operators = operators;
  }

  get id(): string {
    return this.flow.id;
  }
}

/** Whether a value is a flow written in code, even one made by another copy of this module. */
export function isCodeFlow(value: unknown): value is CodeFlow {
  return typeof value === 'object' && value !== null && BRAND in value;
}

/** The type of a code-first flow's result. */
export type ResultOf<F> = F extends CodeFlow<infer R> ? R : never;

type Built<B> = B extends Responded<infer T> | Value<infer T>
  ? T
  : B extends Stream<infer T>
    ? readonly T[]
    : unknown;

/**
 * Builds a flow in code. `build` gets a builder and is called once, synchronously. It may return the node that answers,
 * which gives the flow's result its type. Throws `bad_code_flow` for a flow that cannot be drawn; `check` finds everything
 * else.
 */
export function flow<B>(
  id: string,
  build: (f: FlowBuilder) => B,
  more: Pick<Flow, 'name' | 'description' | 'settings'> = {},
): CodeFlow<Built<B>> {
  const draft = new FlowDraft(id);
  const built = build(new FlowBuilder(draft));
  if (built instanceof Promise)
    throw badFlow(`The function of flow ${id} must not be async; only its inline functions may.`);
  return new CodeFlow(draft.toFlow(more), draft.operators);
}
