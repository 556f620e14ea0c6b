import { DEAD, type Step } from '../plan/plan.ts';
import { WeftError } from '../errors.ts';
import * as state from './state.ts';
import type { RunAnswer } from './types.ts';

/** Puts what a step returned into its slots. Gives an error when the operator returned a port it does not have. */
export function writeOutputs(slots: unknown[], step: Step, result: unknown): WeftError | undefined {
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

function unknownPort(step: Step, record: Record<string, unknown>): WeftError {
  const wrong = Object.keys(record).find((key) => !step.ports.includes(key));
  return new WeftError(
    'bad_output',
    `${step.type} gave the output ${wrong}, but has only ${step.ports.join(', ')}.`,
  );
}

/** `onError: continue`: the fallback stands in; outputs it does not name, and streams, are dead. */
export function writeFallback(slots: unknown[], step: Step): void {
  step.ports.forEach((port, i) => {
    const value = step.fallback?.[port];
    slots[step.out + i] = value === undefined || step.streamPorts[i] ? DEAD : value;
  });
}

export function countStates(open: readonly number[]): { ok: number; failed: number; skipped: number } {
  const nodes = { ok: 0, failed: 0, skipped: 0 };
  for (const at of open) {
    if (at === state.OK) nodes.ok++;
    else if (at === state.SKIPPED) nodes.skipped++;
    else if (at === state.FAILED || at === state.ROUTED || at === state.CONTINUED) nodes.failed++;
  }
  return nodes;
}

/** The HTTP status that an answer has by itself; undefined for an error, whose status is in the error table. */
export function answerStatus(answer: RunAnswer | undefined): number | undefined {
  if (answer === undefined || answer.kind === 'error') return undefined;
  return answer.kind === 'empty' ? 204 : (answer.status ?? 200);
}

/** Makes all outputs of a step dead. */
export function killOutputs(slots: unknown[], step: Step): void {
  for (let i = 0; i < step.ports.length; i++) slots[step.out + i] = DEAD;
  if (step.errorSlot >= 0) slots[step.errorSlot] = DEAD;
}
