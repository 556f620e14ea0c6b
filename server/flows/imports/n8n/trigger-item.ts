import type { Context } from './context.ts';
import type { Port } from './graph.ts';

/** A trigger, and an item made of what it gives. */
export function triggered(
  context: Context,
  node: { operator: string; params?: Record<string, unknown> },
  value: string | Record<string, unknown>,
): Port {
  const { step } = context;
  const id = context.add(step.name, node);
  const item = context.add(`${step.name} item`, { operator: 'core.map', params: { value } });
  context.wire(`${id}.out`, `${item}.in`);
  return context.port(item, 'out', {
    card: 'one',
    aligned: new Set([step.name]),
    triggers: new Set([step.name]),
  });
}

/** The path of a trigger; characters that none may have are percent-encoded. */
export function pathOf(given: string): string {
  const path = given.replace(/^\/+/, '').replace(/\/+$/, '');
  return `/${path.replaceAll(/[\s?#]|\{\{/g, (sign) => encodeURIComponent(sign))}`;
}
