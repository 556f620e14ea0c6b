import type { RunError } from '#shared/run-event.ts';
import type { Step } from '../plan/plan.ts';

/** How an item ended: live outputs by port, the value of the only output, `LEFT_OUT`, or the error that was routed. */
export type ItemEnd = unknown;

/** An item's failure that `onError: route` sends to the output `error`. */
export class RoutedItem {
  readonly error: RunError & { readonly index: number };

  readonly #routed = true;

  constructor(error: RunError, index: number) {
    this.error = { ...error, index };
  }

  /** Uses a private name, since `instanceof` would touch a proxy that an operator returned. */
  static is(end: unknown): end is RoutedItem {
    return typeof end === 'object' && end !== null && #routed in end;
  }
}

/** The outputs of all items, for the slots of the step. */
export class ItemOutputs {
  /** By the step's ports; undefined for one without any item. */
  readonly lists: readonly unknown[];
  /** For the output `error`. */
  readonly errors: unknown;
  readonly #gathered = true;

  constructor(lists: readonly unknown[], errors: unknown) {
    this.lists = lists;
    this.errors = errors;
  }

  /** As `RoutedItem.is`. */
  static is(result: unknown): result is ItemOutputs {
    return typeof result === 'object' && result !== null && #gathered in result;
  }

  static of(step: Step, ends: readonly ItemEnd[]): ItemOutputs {
    const errors = ends.filter((end) => RoutedItem.is(end)).map(({ error }) => error);
    const good = errors.length === 0 ? ends : ends.filter((end) => !RoutedItem.is(end));
    const lists = step.single ? [good] : step.ports.map((port) => listOf(port, good));
    return new ItemOutputs(lists, errors.length === 0 ? undefined : errors);
  }
}

/** The values of the items for which the output was live. */
function listOf(port: string, ends: readonly ItemEnd[]): unknown[] | undefined {
  const list: unknown[] = [];
  for (const end of ends) {
    const value = (end as Record<string, unknown> | undefined)?.[port];
    if (value !== undefined) list.push(value);
  }
  return list.length === 0 ? undefined : list;
}
