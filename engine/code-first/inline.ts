import { z } from 'zod';
import { foreignOperator } from '../foreign/foreign.ts';
import { type Call, defineOperator, input, literal, type Operator, output } from '../base/operator.ts';

/** What an inline function gets besides its value. */
export type InlineCall = Pick<
  Call,
  'signal' | 'attempt' | 'idempotencyKey' | 'node' | 'trigger' | 'log' | 'sleep' | 'now' | 'random'
>;

type InlineFunction = (value: never, call: InlineCall) => unknown;

/** How an operator is made from one kind of inline function. */
export interface InlineKind {
  readonly title: string;
  readonly doc: string;
  readonly icon: string;
  readonly outputs: readonly string[];
  readonly stream?: boolean;
  readonly lift?: boolean;
}

/**
 * The function's text travels as a param: the editor shows it, and a changed function means a new version of the flow. That
 * text is never run.
 */
const params = z.object({
  source: literal(
    z.string().describe('The function, as it is written in the file.').meta({ widget: 'code' }),
  ),
});

const input_ = { in: input({ doc: 'What the function gets.' }) };

/**
 * An operator for one inline function. `make` turns the function's call into the operator's run; it must stay async where the
 * function is. Its effects are `read`, so that runs record it, unless the author calls it pure.
 */
export function inlineOperator(
  flow: string,
  kind: InlineKind,
  run: Operator['run'] & object,
  pure: boolean,
): Operator {
  const ports = kind.outputs.map((name) => [
    name,
    output({ doc: 'What the function returns.', kind: kind.stream ? 'stream' : 'value' }),
  ]);
  const operator = defineOperator({
    title: kind.title,
    doc: kind.doc,
    icon: kind.icon,
    params,
    inputs: input_,
    outputs: Object.fromEntries(ports),
    effects: pure ? 'pure' : 'read',
    lift: kind.lift ?? false,
    exclusive: kind.outputs.length > 1,
    examples: [],
  });
  return foreignOperator({ ...operator, run, flow });
}

/** Applies `then` to the function's result, in the same turn if the result is a plain value. */
export function applied(
  fn: InlineFunction,
  then: (result: unknown, value: unknown) => unknown,
): Operator['run'] & object {
  const call = fn as (value: unknown, call: InlineCall) => unknown;
  if (fn.constructor.name === 'AsyncFunction') return async (c) => then(await call(c.input, c), c.input);
  return (c) => {
    const result = call(c.input, c);
    return result instanceof Promise ? result.then((given) => then(given, c.input)) : then(result, c.input);
  };
}
