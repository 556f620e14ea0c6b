import type { SkipReason } from '#shared/run-event.ts';
import { type Binding, DEAD, type Step } from '../plan/plan.ts';
import type { Reader } from './reader.ts';
import { StreamSource } from './stream.ts';

/** What a step gets, or why it is skipped (rule 2 of the contract: design of a run, docs/architecture.md). */
export type Bound = { readonly values: Record<string, unknown>; readonly readers: Reader[] | undefined };

/**
 * The step's inputs from the slots: a record by port without the absent optional ones, a reader for each stream. A step with
 * edges is skipped when a required input has no live one, or when none of its edges is live.
 */
export function bind(slots: readonly unknown[], step: Step): Bound | SkipReason {
  const reason = skipReason(slots, step);
  if (reason !== undefined) return reason;
  const values: Record<string, unknown> = {};
  let readers: Reader[] | undefined;
  const read = (slot: number, port: string): unknown => {
    const value = slots[slot];
    if (!StreamSource.is(value)) return value;
    const reader = value.take(`${step.id}.${port}`);
    (readers ??= []).push(reader);
    return reader;
  };
  for (const port of step.inputs) bindPort(slots, port, values, read);
  return { values, readers };
}

/** Why the step cannot run, or undefined. */
function skipReason(slots: readonly unknown[], step: Step): SkipReason | undefined {
  let edges = 0;
  let live = 0;
  for (const port of step.inputs) {
    if (port.sources.length === 0) continue;
    const alive = countLive(slots, port);
    if (isMissing(port, alive)) return 'missing-input';
    edges += port.sources.length;
    live += alive;
  }
  return edges > 0 && live === 0 ? 'no-live-input' : undefined;
}

/** Why a step was skipped. */
export function skipReasonOf(slots: readonly unknown[], step: Step): SkipReason {
  if (step.disabled === 'left-out') return 'left-out';
  if (step.disabled !== 'no') return 'disabled';
  return skipReason(slots, step) ?? 'no-live-input';
}

function bindPort(
  slots: readonly unknown[],
  port: Binding,
  values: Record<string, unknown>,
  read: (slot: number, port: string) => unknown,
): void {
  const sources = port.sources.filter((slot) => slots[slot] !== DEAD);
  if (port.many !== undefined) values[port.name] = sources.map((slot) => read(slot, port.name));
  else if (sources[0] !== undefined) values[port.name] = read(sources[0], port.name);
}

function countLive(slots: readonly unknown[], port: Binding): number {
  let live = 0;
  for (const slot of port.sources) if (slots[slot] !== DEAD) live++;
  return live;
}

function isMissing(port: Binding, live: number): boolean {
  if (port.many === 'all') return live < port.sources.length;
  return port.required && live === 0;
}

/** Tells the streams into a step that will not run that it is not coming. */
export function leaveStreams(slots: readonly unknown[], step: Step): void {
  for (const port of step.inputs) {
    for (const slot of port.sources) {
      const value = slots[slot];
      if (StreamSource.is(value)) value.leave();
    }
  }
}
