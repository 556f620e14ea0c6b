import { WeftError } from '../base/errors.ts';
import { ERROR_PORT, type Ports } from '../flow/ports.ts';
import type { Env, ExprTools, Moments } from '../expr/index.ts';
import { DEAD, type StepScope, UNSET } from './plan.ts';

type Getter = (scope: StepScope) => unknown;

const roots = new Map<string, Getter>([
  ['inputs', (c) => c.inputs],
  ['trigger', (c) => c.run.request],
  ['vars', (c) => c.run.vars],
  ['run', (c) => factsOf(c.run.root)],
  ['item', (c) => c.item],
  ['index', (c) => c.index],
  ['acc', (c) => c.acc],
]);

/** What expressions see as `run`. */
function factsOf({
  id,
  flow,
  version,
  trigger,
  startedAt,
}: StepScope['run']['root']): Record<string, unknown> {
  return { id, flow, version, trigger, startedAt };
}

/** Functions that the server supplies, since the engine has no such libraries. */
export interface Tools extends ExprTools {
  /** The zone of flows that set none. */
  readonly timezone: string;
}

const moments: Moments<StepScope> = {
  start: (c) => c.run.root.startedAt,
  now: (c) => c.run.host.now(),
  random: (c) => c.run.host.random(),
};

/** The index of each node and the slots of its outputs in a plan. */
export interface Places {
  readonly trigger: string;
  readonly index: ReadonlyMap<string, number>;
  readonly slot: ReadonlyMap<string, number>;
  readonly count: number;
  /** For a body: slots for outputs of the flow around it, as `node.port`. */
  readonly imports: ReadonlyMap<string, number>;
  /** The slot of such an output; a new one for the first read. */
  importSlot(output: string): number;
}

/** The nodes that expressions may name, and what they may use. */
interface Named {
  readonly flow: { readonly settings?: { readonly timezone?: string | undefined } | undefined };
  readonly nodes: ReadonlyMap<string, { readonly ports: Ports }>;
  readonly outside: ReadonlyMap<string, { readonly ports: Ports }>;
  readonly tools: Tools;
}

/**
 * What the expressions of one node can see, resolved to slots of the plan. `onRead` is called with the nodes that they read;
 * a read of the run's input counts as a read of its trigger.
 */
export function nodeEnv(
  source: Named,
  place: Places,
  id: string,
  onRead: (node: string) => void,
): Env<StepScope> {
  const { inputs } = (source.nodes.get(id) as { ports: Ports }).ports;
  return {
    root: (name) => {
      if (name === 'trigger') onRead(place.trigger);
      return name === 'input' && inputs.length === 1 ? (c) => c.input : roots.get(name);
    },
    member: (root, name, tolerant) => {
      if (root !== 'nodes') return undefined;
      if (source.nodes.has(name)) onRead(name);
      else if (!source.outside.has(name)) return undefined;
      const read = readNode(source, place, name);
      if (tolerant) return read;
      return (scope) => {
        const value = read(scope);
        if (value === undefined) throw skippedError(name);
        return value;
      };
    },
    tools: source.tools,
    timezone: timezoneOf(source),
    moments,
  };
}

/** The zone in which the expressions of a flow read and write times. */
export function timezoneOf({ flow, tools }: Pick<Named, 'flow' | 'tools'>): string {
  return flow.settings?.timezone ?? tools.timezone;
}

/**
 * The value of a node's single output, otherwise a record of its live ones; undefined if it was skipped or is not in this
 * run.
 */
function readNode(source: Named, place: Places, id: string): Getter {
  const own = source.nodes.get(id);
  const ports = ((own ?? source.outside.get(id))?.ports.outputs ?? []).map((p) => p.name);
  const plain = ports.filter((name) => name !== ERROR_PORT);
  const slotOf = (name: string): number =>
    own === undefined ? place.importSlot(`${id}.${name}`) : (place.slot.get(`${id}.${name}`) ?? 0);
  if (plain.length === 1) {
    const slot = slotOf(plain[0] as string);
    return (scope) => liveValue(scope.run.values[slot]);
  }
  const slots = ports.map(slotOf);
  return (scope) => {
    const entries = ports.map((name, i) => [name, liveValue(scope.run.values[slots[i] as number])] as const);
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
    `nodes.${id} was skipped in this run, so it has no value; write nodes.${id}?.… or ?? if that may happen.`,
  );
}
