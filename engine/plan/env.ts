import { WeftError } from '../errors.ts';
import { ERROR_PORT } from '../flow/ports.ts';
import type { Env } from '../expr/index.ts';
import type { NodeCall } from '../run/call.ts';
import type { CompileSource, Places } from './compile.ts';
import { DEAD, UNSET } from './plan.ts';

type Getter = (call: NodeCall) => unknown;

const roots = new Map<string, Getter>([
  ['inputs', (c) => c.inputs],
  ['trigger', (c) => c.run.request],
  ['vars', (c) => c.run.vars],
  ['run', (c) => factsOf(c.run)],
  ['item', (c) => c.item],
  ['index', (c) => c.index],
  ['acc', (c) => c.acc],
]);

/** What expressions see as `run`. */
function factsOf({ id, flow, version, trigger, startedAt }: NodeCall['run']): Record<string, unknown> {
  return { id, flow, version, trigger, startedAt };
}

/** What the expressions of one node can see, resolved to slots of the plan. `onRead` is told of the nodes that they read; what a
 * run was started with counts as its trigger's. */
export function nodeEnv(
  source: CompileSource,
  place: Places,
  id: string,
  onRead: (node: string) => void,
): Env<NodeCall> {
  const { inputs } = (source.nodes.get(id) as { ports: { inputs: readonly unknown[] } }).ports;
  return {
    root: (name) => {
      if (name === 'trigger') onRead(place.trigger);
      return name === 'input' && inputs.length === 1 ? (c) => c.input : roots.get(name);
    },
    member: (root, name, tolerant) => {
      if (root !== 'nodes' || !source.nodes.has(name)) return undefined;
      onRead(name);
      const read = readNode(source, place, name);
      if (tolerant) return read;
      return (call) => {
        const value = read(call);
        if (value === undefined) throw skippedError(name);
        return value;
      };
    },
    regex: (pattern) => source.tools.regex(pattern),
  };
}

/** The value of a node's single output, else a record of its live ones; undefined when it was skipped or is not in this run. */
function readNode(source: CompileSource, place: Places, id: string): Getter {
  const ports = (source.nodes.get(id)?.ports.outputs ?? []).map((p) => p.name);
  const plain = ports.filter((name) => name !== ERROR_PORT);
  const slots = ports.map((name) => place.slot.get(`${id}.${name}`) ?? 0);
  if (plain.length === 1) {
    const slot = place.slot.get(`${id}.${plain[0]}`) ?? 0;
    return (call) => liveValue(call.run.values[slot]);
  }
  return (call) => {
    const entries = ports.map((name, i) => [name, liveValue(call.run.values[slots[i] as number])] as const);
    const live = entries.filter(([, value]) => value !== undefined);
    return live.length === 0 ? undefined : Object.fromEntries(live);
  };
}

function liveValue(slot: unknown): unknown {
  return slot === DEAD || slot === UNSET ? undefined : slot;
}

function skippedError(id: string): WeftError {
  return new WeftError(
    'node_skipped',
    `nodes.${id} was skipped in this run, so it has no value; write nodes.${id}?.… or ?? where that may happen.`,
  );
}
