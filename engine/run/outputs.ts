import { WeftError } from '../base/errors.ts';
import { DEAD, type Step } from '../plan/plan.ts';
import { ItemOutputs } from './item-outputs.ts';

/** Puts a step's result into its slots. Returns an error if the operator returned a port that it does not have. */
export function writeOutputs(slots: unknown[], step: Step, result: unknown): WeftError | undefined {
  if (ItemOutputs.is(result)) return writeItems(slots, step, result);
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

/** `onError: continue`: the fallback stands in; outputs that it does not name, and streams, are dead. */
export function writeFallback(slots: unknown[], step: Step): void {
  step.ports.forEach((port, i) => {
    const value = step.fallback?.[port];
    slots[step.out + i] = value === undefined || step.streamPorts[i] ? DEAD : value;
  });
}
