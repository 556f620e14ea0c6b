import { needsInput, type Trigger } from '../model/form/triggers.ts';
import { readInputs } from './run-inputs.ts';

/** The last input, or an empty one if none is needed; undefined if somebody must be asked. */
export function lastInput(flow: string, trigger: Trigger): { readonly input: unknown } | undefined {
  const text = readInputs(flow).inputs[trigger.node];
  if (text === undefined) return needsInput(trigger) ? undefined : { input: {} };
  try {
    return { input: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
