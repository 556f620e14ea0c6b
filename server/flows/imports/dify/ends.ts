import type { FlowNode } from '#shared/flow.ts';
import type { Level } from './here.ts';
import type { State } from './state.ts';
import { STARTS } from './table.ts';
import { braces } from './write.ts';

/** Most inputs of a join, with room for the start. */
const MOST_INPUTS = 90;

export interface Ends {
  readonly inputs: readonly { readonly name: string; readonly port: string }[];
  /** The texts of all answers together, as an expression; undefined without any. */
  readonly said: string | undefined;
  /** Each of them as an expression over the inputs. */
  readonly results: readonly string[];
}

/** The inputs that the end of a graph waits for: the answers, and all other outputs that nothing follows. */
export function inputsOf(state: State, level: Level, start?: string): Ends {
  const inputs = start === undefined ? [] : [{ name: 'start', port: start }];
  const results: string[] = [];
  for (const id of level.graph.order) {
    const result = state.done.get(id)?.became.result;
    if (!result || inputs.length >= MOST_INPUTS) continue;
    const name = `part_${results.length + 1}`;
    inputs.push({ name, port: result.port });
    results.push(result.text(`inputs?.${name}`));
  }
  const known = new Set(inputs.map(({ port }) => port));
  const loose = loosePorts(state, level).filter((port) => !known.has(port));
  if (loose.length > 0) inputs.push({ name: 'others', port: merged(state, level, loose) });
  const said = results.length > 1 ? `[${results.join(', ')}].join("")` : results[0];
  return { inputs, said, results };
}

function merged(state: State, level: Level, ports: readonly string[]): string {
  if (ports.length === 1) return ports[0] as string;
  const id = state.idFor('others');
  level.nodes[id] = { operator: 'core.merge' };
  level.edges.push(...ports.map((from, order) => ({ from, to: `${id}.in`, order })));
  return `${id}.out`;
}

const nodeOf = (port: string): string => port.slice(0, port.indexOf('.'));

/** Outputs of nodes that nothing follows. */
function loosePorts({ done }: State, level: Level): string[] {
  const used = new Set(level.edges.map(({ from }) => nodeOf(from)));
  const known = new Map<string, string[]>();
  for (const id of level.graph.order)
    for (const port of Object.values(done.get(id)?.became.leave ?? {}).flat())
      known.set(nodeOf(port), [...(known.get(nodeOf(port)) ?? []), port]);
  const ids = Object.keys(level.nodes).filter((id) => !used.has(id));
  return [...new Set(ids.flatMap((id) => known.get(id) ?? [`${id}.out`]))];
}

/** At the end of a flow these are no results. */
const SINKS = new Set(['state.set', 'core.log']);

/** Draws the one result of the flow, unless its only end is one already. */
export function drawEnd(state: State, level: Level): void {
  const { done, isChat, idFor, places } = state;
  const isStarted = [...done.values()].some(
    ({ node, became }) => STARTS.has(node.type) && became.enter === undefined,
  );
  const ends = level.graph.order.flatMap((id) => done.get(id)?.became.result ?? []);
  const others = loosePorts(state, level).filter(
    (port) => !SINKS.has(level.nodes[nodeOf(port)]?.operator ?? ''),
  );
  if (!isStarted || (ends.length === 0 && others.length === 0)) return;
  const [only, ...more] = ends;
  const isWhole = only?.text('x').startsWith('(x ?? ') === true && more.length === 0;
  if (isWhole && others.length === 1 && others[0] === only.port) return;
  const { inputs, results } = inputsOf(state, level);
  const id = idFor(isChat ? 'whole_answer' : 'result');
  level.nodes[id] = endNode(state, inputs, results);
  level.edges.push(...inputs.map(({ name, port }) => ({ from: port, to: `${id}.${name}` })));
  const all = [...places.values()];
  places.set(id, { x: Math.max(0, ...all.map(({ x }) => x)) + 400, y: all[0]?.y ?? 0 });
}

function endNode({ isChat, app }: State, inputs: Ends['inputs'], results: readonly string[]): FlowNode {
  const isText = isChat || app.mode === 'completion';
  const texts = results.length === 0 ? '""' : `[${results.join(', ')}].join("")`;
  const fields = results.length === 0 ? '{}' : `merge(${results.join(', ')})`;
  return {
    operator: 'core.join',
    name: isText ? 'Whole answer' : 'Result',
    params: {
      inputs: inputs.map(({ name }) => ({ name, required: false })),
      value: braces(isText ? texts : fields),
    },
  };
}
