import { type CheckContext, type NodeView } from './context.ts';
import type { EdgeLabel } from './graph.ts';
import { lazyNodes } from './lazy-inputs.ts';
import { ERROR_PORT, plainOutputs } from './ports.ts';

/** Tells whether a fact holds at a node. */
export type Holds = (node: string, fact: string) => boolean;

/** A set of facts as bits. */
type Row = Uint32Array;

/** 32 MB of bits. Beyond that, facts are not computed and every answer is yes. */
const MAX_BITS = 2 ** 28;

interface Facts {
  readonly index: ReadonlyMap<string, number>;
  readonly rows: Map<string, Row>;
  readonly empty: () => Row;
}

function newFacts(context: CheckContext, names: Iterable<string>): Facts | undefined {
  const index = new Map([...new Set(names)].map((name, i) => [name, i]));
  if (index.size * context.nodes.size > MAX_BITS) return undefined;
  return { index, rows: new Map(), empty: () => new Uint32Array(Math.ceil(index.size / 32)) };
}

function holds({ index, rows }: Facts): Holds {
  return (node, fact) => {
    const bit = index.get(fact);
    return bit !== undefined && (((rows.get(node)?.[bit >>> 5] ?? 0) >>> (bit & 31)) & 1) === 1;
  };
}

function setBit({ index }: Facts, row: Row, fact: string): void {
  const bit = index.get(fact);
  if (bit !== undefined) row[bit >>> 5] = (row[bit >>> 5] ?? 0) | (1 << (bit & 31));
}

function unite(row: Row, other: Row | undefined): void {
  if (other) for (let i = 0; i < row.length; i++) row[i] = (row[i] ?? 0) | (other[i] ?? 0);
}

function intersect(row: Row, other: Row): void {
  for (let i = 0; i < row.length; i++) row[i] = (row[i] ?? 0) & (other[i] ?? 0);
}

/** Which of `targets` (nodes) are upstream of a node. */
export function upstream(context: CheckContext, targets: Iterable<string>): Holds {
  const facts = newFacts(context, targets);
  if (!facts) return () => true;
  for (const component of context.components) {
    // The nodes of a cycle are all upstream of each other, so they share a row.
    const row = facts.empty();
    for (const id of component) {
      for (const edge of context.nodes.get(id)?.incoming ?? []) {
        setBit(facts, row, edge.from);
        unite(row, facts.rows.get(edge.from));
      }
      facts.rows.set(id, row);
    }
  }
  return holds(facts);
}

/**
 * Which of `outputs` (`node.port`, or `node` for any of its outputs) are live in every run in which a node runs: because the
 * node cannot run without them, or because they are always live.
 */
export function certainOutputs(context: CheckContext, outputs: Iterable<string>): Holds {
  const facts = newFacts(context, outputs);
  if (!facts) return () => true;
  const sure = sureNodes(context);
  const always = facts.empty();
  for (const fact of facts.index.keys()) {
    const [id = '', port] = fact.split('.');
    const view = context.nodes.get(id);
    if (view && sure.has(id) && isSureOutput(view, port)) setBit(facts, always, fact);
  }
  for (const component of context.components) {
    for (const id of component) {
      const row = component.length === 1 ? requiredBy(context, facts, id) : facts.empty();
      unite(row, always);
      facts.rows.set(id, row);
    }
  }
  return holds(facts);
}

/** The outputs that must be live for a node to run, by its edges. */
function requiredBy({ nodes }: CheckContext, facts: Facts, id: string): Row {
  const { ports, incoming } = nodes.get(id) as NodeView;
  const row = facts.empty();
  const byPort = Map.groupBy(incoming, (edge) => edge.toPort);
  const required = ports.inputs.filter((port) => port.required && byPort.has(port.name));
  for (const port of required) {
    const edges = byPort.get(port.name) as EdgeLabel[];
    if (port.many === 'all') for (const edge of edges) unite(row, impliedBy(facts, edge));
    else unite(row, commonTo(facts, edges));
  }
  // Without a required input, one of all the edges must be live.
  if (required.length === 0 && incoming.length > 0) unite(row, commonTo(facts, incoming));
  return row;
}

function commonTo(facts: Facts, edges: readonly EdgeLabel[]): Row {
  const [first, ...others] = edges;
  const row = impliedBy(facts, first as EdgeLabel);
  for (const edge of others) intersect(row, impliedBy(facts, edge));
  return row;
}

/** The outputs that must be live if an edge is: its own, and those that its source cannot run without. */
function impliedBy(facts: Facts, edge: EdgeLabel): Row {
  const row = facts.empty();
  unite(row, facts.rows.get(edge.from));
  setBit(facts, row, `${edge.from}.${edge.fromPort}`);
  setBit(facts, row, edge.from);
  return row;
}

/** The nodes that run in every run of a trigger that leads to them. */
function sureNodes(context: CheckContext): Set<string> {
  const sure = new Set<string>();
  const sole = soleTriggers(context);
  const isLive = (edge: EdgeLabel) =>
    sure.has(edge.from) && isSureOutput(context.nodes.get(edge.from) as NodeView, edge.fromPort);
  for (const id of context.components.filter((c) => c.length === 1).flat()) {
    const view = context.nodes.get(id) as NodeView;
    if (view.info?.trigger ? sole.has(id) : isSureToRun(view, isLive)) sure.add(id);
  }
  // Only now, since a lazy input gets a value if one of its branches would.
  for (const id of lazyIn(context).keys()) sure.delete(id);
  return sure;
}

/** The nodes that run only if they are needed. */
export function lazyIn({ nodes, kinds }: CheckContext): ReadonlyMap<string, readonly EdgeLabel[]> {
  return lazyNodes({
    nodes: nodes.keys(),
    incoming: (id) => nodes.get(id)?.incoming ?? [],
    outgoing: (id) => nodes.get(id)?.outgoing ?? [],
    inputs: (id) => nodes.get(id)?.ports.inputs ?? [],
    isTrigger: (id) => nodes.get(id)?.info?.trigger === true,
    isStream: ({ from, fromPort }) => kinds.get(`${from}.${fromPort}`) === 'stream',
  });
}

function isSureToRun(
  { node, info, ports, incoming }: NodeView,
  isLive: (edge: EdgeLabel) => boolean,
): boolean {
  if (node.disabled && !(ports.inputs.length === 1 && plainOutputs(ports).length === 1)) return false;
  if (incoming.length === 0 || !info) return incoming.every(isLive);
  const byPort = Map.groupBy(incoming, (edge) => edge.toPort);
  const fed = ports.inputs.every((port) => {
    const edges = byPort.get(port.name);
    if (!port.required) return true;
    if (!edges) return false;
    return port.many === 'all' ? edges.every(isLive) : edges.some(isLive);
  });
  return fed && incoming.some(isLive);
}

/** Whether an output is live whenever its node runs and the run continues; without a port, whether any output is. */
function isSureOutput({ node, ports }: NodeView, port: string | undefined): boolean {
  if (port === ERROR_PORT) return false;
  const plain = plainOutputs(ports);
  // A list of all items, or of none.
  if (node.each !== undefined) return plain.length === 1;
  if (port === undefined) return node.onError !== 'continue';
  if (plain.length > 1 || node.onError === 'route') return false;
  return node.onError !== 'continue' || Object.hasOwn(node.fallback ?? {}, port);
}

/** Triggers that are alone in their part of the flow, so that they started whatever runs there. */
function soleTriggers({ nodes }: CheckContext): Set<string> {
  const sole = new Set<string>();
  const seen = new Set<string>();
  for (const start of nodes.keys()) {
    if (seen.has(start)) continue;
    const part = new Set([start]);
    for (const id of part) {
      const view = nodes.get(id) as NodeView;
      for (const edge of view.incoming) part.add(edge.from);
      for (const edge of view.outgoing) part.add(edge.to);
    }
    for (const id of part) seen.add(id);
    const triggers = [...part].filter((id) => nodes.get(id)?.info?.trigger);
    if (triggers.length === 1) sole.add(triggers[0] as string);
  }
  return sole;
}
