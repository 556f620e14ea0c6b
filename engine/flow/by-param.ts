import type { Effects, OperatorInfo, OutputPort } from '#shared/catalog.ts';
import type { FlowNode } from '#shared/flow.ts';
import { paramOf, plainOutputs, type Ports } from './ports.ts';

/** Facts that follow from the params of a node as they are written. If an expression decides, the worst case is assumed. */

export function effectsOf(node: FlowNode, info: OperatorInfo): Effects {
  const { effects, effectsByParam: by } = info;
  const value = by && paramOf(node, info, by.name);
  return typeof value === 'string' && by && Object.hasOwn(by.cases, value)
    ? (by.cases[value] as Effects)
    : effects;
}

/**
 * Whether the output may depend on the caller, the run or the outside, and not only on params and inputs. Code may write
 * a name with an escape.
 */
export function readsRun(node: FlowNode, info: OperatorInfo): boolean {
  const { readsRun: by } = info;
  if (by === undefined || by === true) return by === true;
  return mayHaveWord(paramOf(node, info, by.param), by.words);
}

/** Whether `retry` may repeat the node after a failure of its own. */
export function mayRetry(node: FlowNode, info: OperatorInfo): boolean {
  const { retriesBy: by } = info;
  return by === undefined || mayHaveWord(paramOf(node, info, by.param), by.words);
}

function mayHaveWord(text: unknown, words: readonly string[]): boolean {
  if (typeof text !== 'string') return false;
  return text.includes('\\u') || words.some((word) => new RegExp(`\\b${word}\\b`).test(text));
}

/** Whether at most one output has a value in a run. */
export function isExclusive(node: FlowNode, info: OperatorInfo): boolean {
  const { exclusive } = info;
  return typeof exclusive === 'boolean' ? exclusive : paramOf(node, info, exclusive.unless) !== true;
}

/** Whether a retried write happens only once. */
export function isIdempotent(node: FlowNode, info: OperatorInfo): boolean {
  const { idempotent, keyParam } = info;
  return idempotent && (keyParam === undefined || paramOf(node, info, keyParam) !== false);
}

/** Whether the output can ever have a value. */
export function mayBeGiven({ when }: OutputPort, node: FlowNode, info: OperatorInfo): boolean {
  const value = when && paramOf(node, info, when.param);
  return when === undefined || isExpression(value) || when.is.includes(value as string);
}

/** Whether the output has a value whenever the node succeeds. */
export function isAlwaysGiven({ when }: OutputPort, node: FlowNode, info: OperatorInfo): boolean {
  return when === undefined || when.is.includes(paramOf(node, info, when.param) as string);
}

/** The reason why a node cannot run for each item, as the end of a sentence; undefined if it can. */
export function whyNotEach(node: FlowNode, info: OperatorInfo, ports: Ports): string | undefined {
  const [port] = ports.inputs;
  if (info.trigger) return 'it starts the flow';
  if (info.respond) return 'it answers the caller, which is possible only once';
  if (port === undefined) return 'it has no input';
  if (port.kind === 'stream') return `its input \`${port.name}\` takes whole streams`;
  if (port.many !== undefined) return `its input \`${port.name}\` takes what several edges bring`;
  const stream = plainOutputs(ports).find((one) => one.kind === 'stream' && mayBeGiven(one, node, info));
  return stream && `its output \`${stream.name}\` is a stream`;
}

function isExpression(value: unknown): boolean {
  return typeof value === 'string' && value.includes('{{');
}
