import type { RunError } from '#shared/run-event.ts';
import { DEAD, type Plan, type Step, UNSET } from '../plan/plan.ts';
import * as state from './state.ts';
import type { CancelReason, RunAnswer } from './state.ts';
import { Reader } from './stream.ts';

/** The end of a run: its answer, the count of its nodes, the error of a run that was stopped. */

/**
 * The result of a run without a respond node: the single live leaf. A leaf with several outputs produces a record of the live
 * ones; no live leaf is an empty answer; two are the error `ambiguous_result`.
 */
export function resultOf(plan: Plan, slots: readonly unknown[]): RunAnswer {
  let found: Step | undefined;
  for (const leaf of plan.leaves) {
    if (!isLive(leaf, slots)) continue;
    if (found) return { kind: 'error', error: ambiguous(found, leaf) };
    found = leaf;
  }
  const stream = found && streamAmongOthers(found, slots);
  if (found && stream !== undefined) return { kind: 'error', error: unreadable(found, stream) };
  return found
    ? { kind: 'value', status: undefined, headers: undefined, body: leafValue(found, slots) }
    : { kind: 'empty' };
}

/** The result while streams still flow: a stream, or an error that is already certain; otherwise it is too early. */
export function earlyResult(plan: Plan, slots: readonly unknown[]): RunAnswer | undefined {
  if (plan.hasRespond || !leavesSettled(plan, slots)) return undefined;
  const result = resultOf(plan, slots);
  const isStream = result.kind === 'value' && Reader.isReader(result.body);
  return isStream || result.kind === 'error' ? result : undefined;
}

/** Whether every leaf that could be the result has settled. */
function leavesSettled(plan: Plan, slots: readonly unknown[]): boolean {
  return plan.leaves.every((leaf) => leaf.ports.every((_, i) => slots[leaf.out + i] !== UNSET));
}

function isLive(leaf: Step, slots: readonly unknown[]): boolean {
  for (let i = 0; i < leaf.ports.length; i++) {
    const value = slots[leaf.out + i];
    if (value !== DEAD && value !== UNSET) return true;
  }
  return false;
}

function leafValue(leaf: Step, slots: readonly unknown[]): unknown {
  if (leaf.ports.length === 1) return slots[leaf.out];
  const live = leaf.ports.map((name, i) => [name, slots[leaf.out + i]] as const);
  return Object.fromEntries(live.filter(([, value]) => value !== DEAD));
}

/** The port of a stream that would be one field of a record. */
function streamAmongOthers(leaf: Step, slots: readonly unknown[]): string | undefined {
  if (leaf.ports.length === 1) return undefined;
  return leaf.ports.find((_, i) => Reader.isReader(slots[leaf.out + i]));
}

function unreadable(leaf: Step, port: string): RunError {
  return {
    code: 'stream_not_read',
    message: `The node “${leaf.title}” ends the flow with several outputs, of which ${port} is a stream; collect it first, with core.unstreamify.`,
    node: leaf.id,
  };
}

function ambiguous(a: Step, b: Step): RunError {
  return {
    code: 'ambiguous_result',
    message: `Both ${toldApart(a, b)} and ${toldApart(b, a)} ended with a value, so the result is not defined; merge or join them, or add a respond node.`,
  };
}

/** With its id where the other one has the same title. */
function toldApart({ title, id }: Step, other: Step): string {
  return title === other.title ? `“${title}” (\`${id}\`)` : `“${title}”`;
}

/** The default HTTP status of an answer; undefined for an error, whose status is in the error table. */
export function answerStatus(answer: RunAnswer | undefined): number | undefined {
  if (answer === undefined || answer.kind === 'error') return undefined;
  return answer.kind === 'empty' ? 204 : (answer.status ?? 200);
}

/** Counts nodes by how they ended; a failure counts whether or not it was handled. */
export function countStates(open: readonly number[]): { ok: number; failed: number; skipped: number } {
  const nodes = { ok: 0, failed: 0, skipped: 0 };
  for (const at of open) {
    if (at === state.OK) nodes.ok++;
    else if (at === state.SKIPPED) nodes.skipped++;
    else if (at === state.FAILED || at === state.ROUTED || at === state.CONTINUED) nodes.failed++;
  }
  return nodes;
}

/** The error of a run that was stopped from outside. */
export function cancelError(
  reason: CancelReason,
  { timeoutMs, isCallers }: { readonly timeoutMs: number; readonly isCallers: boolean },
): RunError {
  if (reason === 'timeout') {
    const raises = isCallers
      ? 'the node that called its flow sets it (itemTimeoutMs of a for-each)'
      : 'settings.timeoutMs of the flow raises it';
    const message = `The run took longer than its limit of ${timeoutMs} ms; ${raises}.`;
    return { code: 'run_timeout', message };
  }
  if (reason === 'stalled') {
    const message =
      'The streamed answer gave nothing, or its reader took nothing, for too long, or it took too long in total; settings.timeoutMs of the flow allows more, and so do WEFT_STREAM_IDLE_MS and WEFT_STREAM_MS of the server.';
    return { code: 'run_timeout', message };
  }
  if (reason === 'shutdown')
    return { code: 'draining', message: 'The server stopped before the run had ended.' };
  return { code: 'run_cancelled', message: `The run was cancelled (${reason}).` };
}
