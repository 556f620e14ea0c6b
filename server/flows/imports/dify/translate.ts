import type { FlowEdge, FlowNode } from '#shared/flow.ts';
import { idFrom } from '../../awel/names.ts';
import { type DifyNode, listOf, recordOf, selectorOf, textOf } from './app.ts';
import { type Graph, graphOf } from './graph.ts';
import type { Became, Here, Inner, Inside, Level } from './here.ts';
import { Unmapped } from './unmapped.ts';
import { mappings } from './nodes/all.ts';
import { readAfterBody, readAtStart, stateGet } from './conversation.ts';
import { typedConstant } from './nodes/lists.ts';
import { drawEnd, inputsOf } from './ends.ts';
import { Pen } from './pen.ts';
import { type Around, type Entry, entryOf, newState, type State, titleOf } from './state.ts';
import { STARTS } from './table.ts';
import { partsOf } from './texts.ts';
import { Values } from './values.ts';
import { braces, literal, textExpr } from './write.ts';

const INNER_STARTS = new Set(['iteration-start', 'loop-start']);
const DEEPEST = 4;

export interface Drawn {
  readonly nodes: Record<string, FlowNode>;
  readonly edges: FlowEdge[];
  readonly places: ReadonlyMap<string, { x: number; y: number }>;
}

/** Translates the graph of an app. Every node, wire and setting is in the report. */
export function translateGraph(around: Around): Drawn {
  return new Translation(around).run();
}

class Translation {
  private readonly children = new Map<string, DifyNode[]>();
  private readonly state: State;
  private readonly values: Values;

  constructor(around: Around) {
    this.state = newState(around);
    this.values = new Values(this.state);
  }

  run(): Drawn {
    const { app, report } = this.state;
    const known = new Set(app.nodes.map(({ id }) => id));
    const real = app.nodes.filter(({ type }) => type !== 'custom-note');
    const outer: DifyNode[] = [];
    for (const node of real) {
      const within = node.parent !== undefined && known.has(node.parent) ? node.parent : undefined;
      if (within === undefined) outer.push(node);
      else this.children.set(within, [...(this.children.get(within) ?? []), node]);
    }
    const level = this.draw(outer, undefined);
    if (this.state.ends?.isOneAnswer !== true) drawEnd(this.state, level);
    this.edgesLeft();
    for (const node of app.nodes) {
      const entry = this.state.entries.get(node.id) ?? this.leftOut(node);
      report.node(entry.node);
      for (const change of entry.changes) report.change(change);
      for (const need of entry.needs) report.need(need);
    }
    return { nodes: level.nodes, edges: level.edges, places: this.state.places };
  }

  private leftOut(node: DifyNode): Entry {
    const isNote = node.type === 'custom-note';
    const [into, difference] = isNote
      ? ['a note', undefined]
      : ['nothing', 'Nothing leads to it, so it never ran; it was left out.'];
    const word = isNote ? 'equal' : 'close';
    return {
      node: { ...entryOf(node), word, nodes: [], into, ...(difference && { difference }) },
      changes: [],
      needs: [],
    };
  }

  /** Edges that lead nowhere, across the border of an iteration, or in a circle. */
  private edgesLeft(): void {
    const { app, report } = this.state;
    const byId = new Map(app.nodes.map((node) => [node.id, node]));
    const lose = (node: string | undefined, message: string): void =>
      report.change({ what: 'wire', effect: 'lost', ...(node !== undefined && { node }), message });
    for (const edge of app.edges) {
      const [from, to] = [byId.get(edge.from), byId.get(edge.to)];
      const name = titleOf(from ?? to);
      if (!from || !to) lose(name, 'A wire has an end that is no node of the file; it was left out.');
      else if (from.parent !== to.parent)
        lose(name, `The wire to ${titleOf(to)} crosses the border of an iteration or loop; it was left out.`);
    }
    if (app.badEdges > 0) lose(undefined, `${app.badEdges} wires have no ends; they were left out.`);
  }

  private draw(nodes: readonly DifyNode[], around: Level['around']): Level {
    const ids = nodes.map(({ id }) => id);
    const inside = new Set(ids);
    const edges = this.state.app.edges.filter(({ from, to }) => inside.has(from) && inside.has(to));
    const starts = startsOf(
      nodes,
      edges.map(({ to }) => to),
      around,
    );
    const graph = graphOf(ids, edges, starts);
    const level: Level = { nodes: {}, edges: [], graph, around, reads: new Map() };
    this.state.top ??= level;
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const begin = around === undefined ? undefined : this.readAgain(level, around);
    for (const { from, to } of graph.circular)
      this.state.report.change({
        what: 'wire',
        effect: 'lost',
        node: titleOf(byId.get(from)),
        message: `The wire to ${titleOf(byId.get(to))} closes a circle; it was left out.`,
      });
    for (const id of graph.order) {
      const node = byId.get(id) as DifyNode;
      const ports = this.portsInto(level, node);
      const isStart = starts.includes(id);
      if (begin !== undefined && isStart) ports.push(begin);
      if (ports.length === 0 && !(isStart && around === undefined)) continue;
      if (INNER_STARTS.has(node.type)) this.innerStart(level, node, ports);
      else this.drawNode(level, node, ports);
    }
    return level;
  }

  private portsInto(level: Level, node: DifyNode): string[] {
    const ports: string[] = [];
    for (const edge of level.graph.edges) {
      if (edge.to !== node.id) continue;
      const source = this.state.done.get(edge.from);
      if (!source) continue;
      const { leave } = source.became;
      const handle = edge.handle === 'success-branch' || edge.handle === 'target' ? 'source' : edge.handle;
      const found = Object.hasOwn(leave, handle) ? leave[handle] : undefined;
      if (found) ports.push(...found);
      else
        this.state.report.change({
          what: 'wire',
          effect: 'changed',
          node: titleOf(source.node),
          message: `The wire to ${titleOf(node)} leaves at “${edge.handle.slice(0, 60)}”, which its source does not have; it was never taken and is left out.`,
        });
    }
    return [...new Set(ports)];
  }

  private innerStart(level: Level, node: DifyNode, ports: readonly string[]): void {
    this.state.done.set(node.id, {
      node,
      level,
      mayFail: false,
      became: { enter: undefined, leave: { source: ports }, value: () => undefined },
    });
    this.state.entries.set(node.id, {
      node: { ...entryOf(node), word: 'equal', nodes: [], into: 'the start of the body' },
      changes: [],
      needs: [],
    });
  }

  private drawNode(level: Level, node: DifyNode, ports: readonly string[]): void {
    const pen = new Pen(
      { state: this.state, values: this.values, body: (...asked) => this.body(...asked) },
      level,
      node,
    );
    let became = this.mapped(level, node, pen);
    became = pen.withErrors(became, this.handlesOf(level.graph, node.id).includes('fail-branch'));
    if (STARTS.has(node.type) && level.around === undefined)
      became = this.withEnvironment(level, pen, became);
    if (node.type === 'start' && level.around === undefined && this.state.isChat)
      became = readAtStart(this.state, level, pen, became);
    became = readAfterBody(pen, became);
    if (became.enter !== undefined && ports.length > 0) pen.lead(ports, became.enter);
    pen.commit(this.state.places);
    this.state.done.set(node.id, { node, level, became, mayFail: pen.mayFail });
    this.state.entries.set(node.id, pen.entry(became.into));
  }

  /** The result of the mapping of its type; a placeholder if there is none, or if the mapping does not understand the node. */
  private mapped(level: Level, node: DifyNode, pen: Pen): Became {
    try {
      const mapping = Object.hasOwn(mappings, node.type) ? mappings[node.type] : undefined;
      if (!mapping) throw new Unmapped('there is no node for it here');
      const became = mapping(pen.here);
      pen.tellUnread();
      return became;
    } catch (error) {
      if (!(error instanceof Unmapped)) throw error;
      this.forget(node);
      pen.reset();
      const inside = this.childrenOf(node).map(({ data }) => data);
      return pen.placeholder(error.message, this.handlesOf(level.graph, node.id), inside);
    }
  }

  /** The plain variables of the environment, as a node behind the only start; with several starts they are written where they are read. */
  private withEnvironment(level: Level, pen: Pen, became: Became): Became {
    const { app } = this.state;
    const plain = app.environment.filter(({ type, name }) => type !== 'secret' && name !== '');
    const [port] = Object.values(became.leave).flat();
    const isOne =
      level.graph.order.filter((id) => app.nodes.some((node) => node.id === id && STARTS.has(node.type)))
        .length === 1;
    if (!isOne || port === undefined || !JSON.stringify(app.nodes.map(({ data }) => data)).includes('env'))
      return became;
    const value = Object.fromEntries(
      plain.map(({ name, type, value: given }) => {
        const constant = typedConstant(given, type);
        return [name, braces(literal(constant))];
      }),
    );
    if (plain.length === 0) return became;
    const id = pen.here.add('environment', { operator: 'core.map', name: 'Environment', params: { value } });
    pen.here.wire(port, `${id}.in`);
    this.state.environment = id;
    return { ...became, leave: { ...became.leave, source: [`${id}.out`] } };
  }

  /** Reads, at the start of each round, the variables that an earlier round may have assigned. */
  private readAgain(level: Level, around: NonNullable<Level['around']>): string {
    const names = this.state.isChat ? this.assignedIn(around.node) : [];
    let port = `${around.start}.out`;
    for (const name of names) {
      const value: Here['value'] = (selector) =>
        this.values.value(around.up, around.node, selector, () => undefined);
      const id = this.state.idFor(idFrom(`read_${name}`, 'read'));
      level.nodes[id] = stateGet(value, name, value(['conversation', name]).expr);
      level.edges.push({ from: port, to: `${id}.in` });
      level.reads.set(name, id);
      port = `${id}.out`;
    }
    return port;
  }

  /** The conversation variables that the nodes in a container assign. */
  assignedIn(container: DifyNode): string[] {
    const inner = this.childrenOf(container).filter(({ type }) => type === 'assigner');
    const targets = inner.flatMap(({ data }) => [
      selectorOf(data['assigned_variable_selector']),
      ...listOf(data['items']).map((item) => selectorOf(recordOf(item)['variable_selector'])),
    ]);
    const known = new Set(this.state.app.conversation.map(({ name }) => name));
    return [
      ...new Set(targets.filter(([head]) => head === 'conversation').map(([, name]) => name ?? '')),
    ].filter((name) => known.has(name));
  }

  /** All nodes in it, those of inner containers too. */
  private childrenOf(container: DifyNode, depth = 0): DifyNode[] {
    if (depth > 20) return [];
    return (this.children.get(container.id) ?? []).flatMap((node) => [
      node,
      ...this.childrenOf(node, depth + 1),
    ]);
  }

  private handlesOf(graph: Graph, id: string): string[] {
    return [...new Set(graph.edges.filter(({ from }) => from === id).map(({ handle }) => handle))];
  }

  /** The nodes of a container that became a placeholder are in it. */
  private forget(container: DifyNode): void {
    for (const node of this.childrenOf(container)) {
      this.state.done.delete(node.id);
      const difference = `It is in ${titleOf(container)}, which is a placeholder.`;
      this.state.entries.set(node.id, {
        node: { ...entryOf(node), word: 'placeholder', nodes: [], difference },
        changes: [],
        needs: [],
      });
    }
  }

  // --- The end ---

  /** The body of a container. */
  body(level: Level, node: DifyNode, hint: string, end: (inner: Inner) => FlowNode): Inside {
    let depth = 0;
    for (let at: Level | undefined = level; at; at = at.around?.up) depth += 1;
    if (depth > DEEPEST) throw new Unmapped('it is nested deeper than bodies may be here');
    const start = this.state.idFor(hint);
    const children = this.children.get(node.id) ?? [];
    const inner = this.draw(children, { node, start, up: level });
    const ended = children.find(({ id, type }) => type === 'loop-end' && this.state.done.has(id));
    const endId = ended && ownIds(this.state.entries.get(ended.id))[0];
    const { inputs, said } = inputsOf(this.state, inner, `${start}.out`);
    const id = this.state.idFor('result');
    const made = end({
      value: (selector) => this.values.value(inner, undefined, selector, () => undefined),
      text: (text) =>
        textExpr(
          this.pieces(text, (selector) => this.values.value(inner, undefined, selector, () => undefined)),
        ),
      said,
      ended: endId,
    });
    inner.nodes[id] = {
      ...made,
      params: { inputs: inputs.map(({ name }) => ({ name, required: false })), ...made.params },
    };
    inner.edges.push(...inputs.map(({ name, port }) => ({ from: port, to: `${id}.${name}` })));
    return {
      body: { start, nodes: inner.nodes, edges: inner.edges },
      assigns: this.state.isChat ? this.assignedIn(node) : [],
      hasAnswers: said !== undefined,
    };
  }

  private pieces(text: string, value: Here['value']): ReturnType<typeof partsOf> {
    return partsOf(text, value);
  }
}

const ownIds = (entry: Entry | undefined): readonly string[] => entry?.node.nodes ?? [];

function startsOf(nodes: readonly DifyNode[], targets: readonly string[], around: Level['around']): string[] {
  if (around === undefined) return nodes.filter(({ type }) => STARTS.has(type)).map(({ id }) => id);
  const own = nodes.filter(({ type }) => INNER_STARTS.has(type)).map(({ id }) => id);
  if (own.length > 0) return own;
  const named = textOf(around.node.data['start_node_id']);
  if (nodes.some(({ id }) => id === named)) return [named];
  const led = new Set(targets);
  return nodes.filter(({ id }) => !led.has(id)).map(({ id }) => id);
}
