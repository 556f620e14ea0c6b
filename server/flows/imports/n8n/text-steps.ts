import type { Context } from './context.ts';
import { NotHere } from './entry.ts';
import { following, type Port } from './graph.ts';
import { itemwise } from './items.ts';
import { gives, type Given } from './job.ts';
import { objectOf } from './nodes/fields.ts';

/** Values that are computed from each item and put into a field of it, as many nodes do. */

export function required(context: Context): Port {
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  return input;
}

/** The item with a field more, whose value is an expression. */
export function withField(context: Context, name: string, value: string, keeps = true): Given {
  const input = required(context);
  const id = itemwise(context, input, {
    operator: 'core.map',
    params: { value: `{{ ${objectOf(keeps ? 'input' : '', [{ name, value }], true)} }}` },
  });
  return passed(context, input, id);
}

export function passed(context: Context, input: Port, id: string, output = 'out'): Given {
  return gives(
    context.port(id, output, {
      card: input.card,
      mayBeEmpty: input.mayBeEmpty,
      ...following(input, context.step.name),
    }),
  );
}

/** Puts the result of an operator on a text of the item into a field of it. */
export function throughOperator(
  context: Context,
  text: string,
  node: { operator: string; params?: Record<string, unknown> },
  then: { output?: string; value(made: string): string },
): Given {
  const input = required(context);
  const isList = input.card === 'many';
  const { step } = context;
  const before = itemwise(
    context,
    input,
    { operator: 'core.map', params: { value: `{{ ${text} }}` } },
    { hint: `${step.name} text` },
  );
  const between = context.port(before, 'out', { card: input.card });
  const id = itemwise(context, between, node);
  const made = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ ${then.value('input')} }}` },
    ...(isList && { each: {} }),
  });
  context.wire(`${id}.${then.output ?? 'out'}`, `${made}.in`);
  return passed(context, input, made);
}

/** How the item is read after nodes in between. */
export const itemIn = (input: Port): string => (input.card === 'many' ? `${input.expr}[index]` : input.expr);
