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
import type { KeptEnd } from './walk.ts';

/** A run to retry, and the source and target of its values. */
interface Again {
  readonly stored: StoredRun;
  readonly steps: readonly RecordedStep[];
  readonly before: Flow;
  readonly after: Flow;
  readonly from: Values;
  readonly to: Values;
}

/** The input of the run that retries another one. Throws `run_not_retryable`. */
export function prepareRetry({
  stored,
  steps,
  before,
  after,
  from,
  to,
}: Again): Pick<NewRun, 'input' | 'steps'> & Pick<KeptInput, 'vars'> {
  if (stored.end === undefined || stored.status === 'ok') throw new ServiceError('run_not_retryable');
  const input = from.read(stored.input) as KeptInput;
  const { error } = from.read(stored.end) as KeptEnd;
  const changed = editedNodes(before, after);
  const done = new Set(steps.filter((step) => isDonePart(step, from)).map(({ key }) => partOf(key)));
  const inBody = againInBody({ steps, error, flow: after, values: from });
  const isGone = (key: string): boolean => {
    const node = nodeOf(key);
    const isAgain = node === error?.node && (inBody?.(key) ?? !done.has(partOf(key)));
    return isAgain || changed.has(node) || after.nodes[node] === undefined;
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

/** The item of a stream, or the part of a step, that a key belongs to, without the attempt: `node#7` for `node#7@2`. */
function partOf(key: string): string | undefined {
  return /^\w+(?:@\d+)?[#/]\d+/.exec(key)?.[0];
}

interface Failed {
  readonly steps: readonly RecordedStep[];
  readonly error: RunError | undefined;
  readonly flow: Flow;
  readonly values: Values;
}

/**
 * Which steps of the body of the node that failed are executed again: those that failed, unless the body handled it. All of them if
 * neither a step of the body failed nor was cut off. Undefined if the node has no body.
 */
function againInBody({ steps, error, flow, values }: Failed): ((key: string) => boolean) | undefined {
  const node = error?.node;
  if (node === undefined || flow.nodes[node]?.body === undefined) return undefined;
  const nodes = allNodes(flow);
  const own = steps
    .filter(({ key }) => nodeOf(key) === node)
    .map(({ key, result }) => ({ key, value: values.read(readRecord(result).text) as object }));
  const again = own.filter(
    ({ key, value }) => 'failed' in value && !isCutOff(value) && !isHandled(key, nodes),
  );
  const isOfBody = Object.hasOwn(Object(error?.data) as object, 'node');
  if (again.length === 0 && !isOfBody && !own.some(({ value }) => isCutOff(value))) return () => true;
  const names = new Set(again.map(({ key }) => stepOf(key)));
  return (key) => names.has(stepOf(key));
}

/** Whether a node around the step, or its own, handles its failure; the first one has failed itself. */
function isHandled(key: string, nodes: Readonly<Record<string, FlowNode>>): boolean {
  return key.split('/').some((part, i) => {
    const { onError = 'fail', each, params } = nodes[nodeOf(part)] ?? {};
    const onItemError = each?.onItemError ?? params?.['onItemError'] ?? 'fail';
    return onItemError !== 'fail' || (i > 0 && onError !== 'fail');
  });
}

/** The step of a key, whichever attempt or wait of it: `loop#3/price` for `loop#3/price@2:retry:wait`. */
function stepOf(key: string): string {
  return key.replace(/(?:@\d+)?(?::[\w:]+)?$/, '');
}

/** Whether the part succeeded: its node failed at another one, and continues there. */
function isDonePart({ key, result }: RecordedStep, values: Values): boolean {
  return partOf(key) !== undefined && !('failed' in (values.read(readRecord(result).text) as object));
}

/** Whether a step was cut off because its run or its loop ended. */
function isCutOff(value: object): boolean {
  const { code, isOfRun } = ('failed' in value ? value.failed : {}) as Partial<CodedError>;
  return isOfRun === true || code === 'run_cancelled' || code === 'run_timeout';
}
