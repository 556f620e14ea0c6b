import type { CodedError } from '#engine';
import type { Flow } from '#shared/flow.ts';
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
  const isGone = (key: string): boolean => {
    const node = nodeOf(key);
    const isAgain = node === error?.node && !done.has(partOf(key));
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

/** The node of `node`, `node@2`, `node#7`, `node/7` or `node:wait`. */
function nodeOf(key: string): string {
  return /^\w+/.exec(key)?.[0] ?? key;
}

/** The item of a stream, or the part of a step, that a key belongs to, without the attempt: `node#7` for `node#7@2`. */
function partOf(key: string): string | undefined {
  return /^\w+(?:@\d+)?[#/]\d+/.exec(key)?.[0];
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
