import type { CodedError } from '#engine';
import { allNodes } from '#engine/check';
import type { Flow, FlowNode } from '#shared/flow.ts';
import type { RunError } from '#shared/run-event.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { editedNodes } from '../starts/partial/edited-nodes.ts';
import type { DurableEngine, NewRun, RecordedStep, StoredRun } from './port.ts';
import type { KeptInput } from './run-input.ts';
import { readRecord, writeRecord } from './step-record.ts';
import type { Values } from './values.ts';
import type { PinnedFlow } from '../starts/sub-flows.ts';
import type { KeptEnd } from './walk.ts';

/** A run to retry, and the source and target of its values. */
interface Again {
  readonly stored: StoredRun;
  readonly steps: readonly RecordedStep[];
  readonly before: Flow;
  readonly after: Flow;
  readonly from: Values;
  readonly to: Values;
  /** Whether a called flow is still used in this version. */
  readonly isCurrent: (flow: string, version: string) => boolean;
}

/** The input of the run that retries another one. Throws `run_not_retryable`. */
export function prepareRetry({
  stored,
  steps,
  before,
  after,
  from,
  to,
  isCurrent,
}: Again): Pick<NewRun, 'input' | 'steps'> & Pick<KeptInput, 'vars'> {
  if (stored.end === undefined || stored.status === 'ok') throw new ServiceError('run_not_retryable');
  const input = from.read(stored.input) as KeptInput;
  const { error } = from.read(stored.end) as KeptEnd;
  const changed = editedNodes(before, after);
  const called = new CalledFlows(after, steps, from, isCurrent);
  const isAgain = againOf({ steps, error, values: from, called });
  const isGone = (key: string): boolean => {
    if (key.startsWith(':')) return called.isStale(key);
    const node = nodeOf(key);
    return changed.has(node) || after.nodes[node] === undefined || called.isBelowStale(key) || isAgain(key);
  };
  const kept = steps.flatMap(({ key, result }) => {
    const { order, text } = readRecord(result);
    const value = from.read(text) as object;
    if (isGone(key) || isCutOff(value)) return [];
    return { key, result: writeRecord({ order, text: to.write(value) }) };
  });
  return { input: to.write({ ...input, retryOf: stored.run }), vars: input.vars, steps: kept };
}

/**
 * The key of the run that retries this one: it stays the same until that run has ended, so that there is only one at a
 * time.
 */
export async function retryKey(engine: Pick<DurableEngine, 'list'>, run: string): Promise<string> {
  for (let n = 1; ; n++) {
    const key = `retry:${run}:${n}`;
    const [before] = await engine.list({ key, limit: 1 });
    if (before?.end === undefined) return key;
  }
}

/** The outermost node of `node`, `node@2`, `node#7`, `node/7`, `node:wait` or `node#7/inner`. */
function nodeOf(key: string): string {
  return /^\w+/.exec(key)?.[0] ?? key;
}

interface Failed {
  readonly steps: readonly RecordedStep[];
  readonly error: RunError | undefined;
  readonly values: Values;
  readonly called: CalledFlows;
}

/**
 * Which steps of the node that failed are executed again: those that failed, unless something around them handled it. All of them if
 * nothing below it was recorded, or if neither a step below it failed nor was cut off.
 */
function againOf({ steps, error, values, called }: Failed): (key: string) => boolean {
  const node = error?.node;
  if (node === undefined) return () => false;
  const own = steps
    .filter(({ key }) => nodeOf(key) === node)
    .map(({ key, result }) => ({ key, value: values.read(readRecord(result).text) as object }));
  const again = own.filter(
    ({ key, value }) => 'failed' in value && !isCutOff(value) && !called.isHandled(key),
  );
  const isBelow = Object.hasOwn(Object(error?.data) as object, 'node');
  const hasParts = own.some(({ key }) => /[#/]/.test(key));
  const isCut = own.some(({ value }) => isCutOff(value));
  const names = new Set(again.map(({ key }) => stepOf(key)));
  const isWhole = !hasParts || (again.length === 0 && !isBelow && !isCut);
  return (key) => nodeOf(key) === node && (isWhole || names.has(stepOf(key)));
}

/** The flows on the way to a step: its own, and those that steps of the run call, in the version that the run saw. */
class CalledFlows {
  private readonly nodes: Readonly<Record<string, FlowNode>>;
  private readonly flows = new Map<string, Readonly<Record<string, FlowNode>>>();
  private readonly stale = new Set<string>();

  constructor(own: Flow, steps: readonly RecordedStep[], values: Values, isCurrent: Again['isCurrent']) {
    this.nodes = allNodes(own);
    for (const { key, result } of steps) {
      if (!key.startsWith(':flow:')) continue;
      const { value } = values.read(readRecord(result).text) as { readonly value: PinnedFlow };
      const flow = key.slice(':flow:'.length);
      this.flows.set(flow, allNodes(JSON.parse(value.text) as Flow));
      if (!isCurrent(flow, value.version)) this.stale.add(flow);
    }
  }

  isStale(key: string): boolean {
    return this.stale.has(key.slice(':flow:'.length));
  }

  /** Whether the step belongs to a called flow that has another version now. */
  isBelowStale(key: string): boolean {
    // The record of a stretch of a loop stands for items below the last node.
    const parts = key.split('/').length + Number(/#\d+-\d+$/.test(key));
    return this.path(key).some(
      ({ flow, at }) => flow !== undefined && at < parts - 1 && this.stale.has(flow),
    );
  }

  /** Whether a node around the step, or its own, handles its failure; the first one has failed itself. */
  isHandled(key: string): boolean {
    return this.path(key).some(({ node, at }) => {
      const { onError = 'fail', each, params } = node;
      const onItemError = each?.onItemError ?? params?.['onItemError'] ?? 'fail';
      return onItemError !== 'fail' || (at > 0 && onError !== 'fail');
    });
  }

  /** The nodes of a key such as `loop/3/call/price`, in order, with the flows that they call. */
  private path(
    key: string,
  ): { readonly node: FlowNode; readonly at: number; readonly flow: string | undefined }[] {
    let nodes = this.nodes;
    return key.split('/').flatMap((part, at) => {
      const node = nodes[nodeOf(part)];
      if (node === undefined) return [];
      const flow = node.body === undefined ? node.params?.['flow'] : undefined;
      const called = typeof flow === 'string' ? flow : undefined;
      nodes = (called === undefined ? undefined : this.flows.get(called)) ?? nodes;
      return [{ node, at, flow: called }];
    });
  }
}

/** The step of a key, whichever attempt or wait of it: `loop#3/price` for `loop#3/price@2:retry:wait`. */
function stepOf(key: string): string {
  return key.replace(/(?:@\d+)?(?::[\w:]+)?$/, '');
}

/** Whether a step was cut off because its run or its loop ended. */
function isCutOff(value: object): boolean {
  const { code, isOfRun } = ('failed' in value ? value.failed : {}) as Partial<CodedError>;
  return isOfRun === true || code === 'run_cancelled' || code === 'run_timeout';
}
