import type { RunError } from '#shared/run-event.ts';
import { WeftError } from '../base/errors.ts';
import { DEAD, type Step } from '../plan/plan.ts';

/** Puts a step's result into its slots. Returns an error if the operator returned a port that it does not have. */
export function writeOutputs(slots: unknown[], step: Step, result: unknown): WeftError | undefined {
  return step.gathers && ItemOutputs.is(result)
    ? writeItems(slots, step, result)
    : writeResult(slots, step, result);
}

function writeResult(slots: unknown[], step: Step, result: unknown): WeftError | undefined {
  if (step.errorSlot >= 0) slots[step.errorSlot] = DEAD;
  if (step.single) {
    slots[step.out] = result === undefined ? DEAD : result;
    return undefined;
  }
  if (step.ports.length === 0) return undefined;
  const record = (result ?? {}) as Record<string, unknown>;
  let found = 0;
  for (let i = 0; i < step.ports.length; i++) {
    const name = step.ports[i] as string;
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    slots[step.out + i] = value === undefined ? DEAD : value;
    if (Object.hasOwn(record, name)) found++;
  }
  return found === Object.keys(record).length ? undefined : unknownPort(step, record);
}

function writeItems(slots: unknown[], step: Step, { lists, errors }: ItemOutputs): undefined {
  if (step.errorSlot >= 0) slots[step.errorSlot] = errors ?? DEAD;
  lists.forEach((list, i) => {
    slots[step.out + i] = list ?? DEAD;
  });
}

/** Throws for an output that the operator does not have. */
export function checkPorts(step: Step, result: Record<string, unknown>): void {
  if (Object.keys(result).some((port) => !step.ports.includes(port))) throw unknownPort(step, result);
}

function unknownPort(step: Step, record: Record<string, unknown>): WeftError {
  const wrong = Object.keys(record).find((key) => !step.ports.includes(key));
  return new WeftError(
    'bad_output',
    `${step.type} gave the output ${wrong}, but has only ${step.ports.join(', ')}.`,
  );
}

/** `onError: continue`: the fallback replaces the outputs; outputs that it does not name, and streams, are dead. */
export function writeFallback(slots: unknown[], step: Step): void {
  step.ports.forEach((port, i) => {
    const value = step.fallback?.[port];
    slots[step.out + i] = value === undefined || step.streamPorts[i] ? DEAD : value;
  });
}

// ------------------------------------------------------------------------------------------- outputs of items

/** The end of an item: live outputs by port, the value of the only output, `LEFT_OUT`, or the routed error. */
export type ItemEnd = unknown;

/** An item's failure that `onError: route` sends to the output `error`. */
export class RoutedItem {
  readonly #error: RunError & { readonly index: number };

  constructor(error: RunError, index: number) {
    this.#error = { ...error, index };
  }

  get error(): RunError & { readonly index: number } {
    return this.#error;
  }

  /** Uses a private name, since `instanceof` would touch a proxy that an operator returned. */
  static is(end: unknown): end is RoutedItem {
    return typeof end === 'object' && end !== null && #error in end;
  }
}

/** The outputs of all items, for the slots of the step. */
export class ItemOutputs {
  /** For the output `error`. */
  readonly errors: unknown;
  readonly #lists: readonly unknown[];

  constructor(lists: readonly unknown[], errors: unknown) {
    this.#lists = lists;
    this.errors = errors;
  }

  /** By the step's ports; undefined for one without any item. */
  get lists(): readonly unknown[] {
    return this.#lists;
  }

  /** Like `RoutedItem.is`. */
  static is(result: unknown): result is ItemOutputs {
    return typeof result === 'object' && result !== null && #lists in result;
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
