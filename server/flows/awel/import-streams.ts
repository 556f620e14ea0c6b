import { flowGraph, operatorInfo, outputKinds, portsOf, topologicalOrder } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';
import { createDrawing, type Drawing, type Drawn } from './drawing.ts';

/** Operators whose streams are a text in pieces; other streams are collected by a node that a person chooses. */
const TEXT_STREAMS = new Set(['agent.run', 'model.stream', 'core.transform-stream']);

const TEXT_OF_ITEMS = {
  operator: 'core.reduce',
  params: {
    initial: '',
    value: "{{ acc + (typeOf(item) === 'string' ? item : item?.type === 'text' ? item.text : '') }}",
  },
};

/** The question in the output of a chat, and in the messages from one agent to the next. */
const OF_CHAT = "{{ typeOf(inputs.question) === 'object' ? inputs.question.text : inputs.question }}";
const OF_AGENT = '{{ last(inputs.question).content }}';

/** The input of an agent from the previous one: the question again, and the answer to it. */
function handover(question: string): FlowNode {
  const value = [
    { role: 'user', content: question },
    { role: 'assistant', content: '{{ inputs.answer }}' },
    { role: 'user', content: question },
  ];
  return { operator: 'core.join', params: { inputs: [{ name: 'question' }, { name: 'answer' }], value } };
}

/**
 * Operators of DB-GPT pass whole values on where ours stream. Wherever such a stream meets an input for one value, a node
 * collects it into a text; an agent after an agent also receives the question.
 */
export function withTexts(drawn: Drawn, catalog: Catalog): Drawn {
  const met = meetings(drawn.flow, catalog);
  if (met.length === 0) return drawn;
  const drawing = createDrawing(drawn);
  const texts = new Map<string, string>();
  const handovers = new Set<string>();
  for (const edge of met) {
    const text = texts.get(edge.from) ?? addText(drawing, edge.from);
    texts.set(edge.from, text);
    const asked = isAgent(drawn.flow, edge.to) ? questionOf(drawn.flow, drawing, edge.from) : undefined;
    if (asked === undefined) drawing.replace(edge, { ...edge, from: `${text}.out` });
    else {
      const question = handovers.has(nodeOf(asked)) ? OF_AGENT : OF_CHAT;
      const id = drawing.add('handed_on', handover(question), nodeOf(edge.to), { x: -120, y: 120 });
      handovers.add(id);
      drawing.connect(asked, `${id}.question`);
      drawing.connect(`${text}.out`, `${id}.answer`);
      drawing.replace(edge, { ...edge, from: `${id}.out` });
    }
  }
  return drawing.done();
}

/** The edges at which a stream of text meets an input for one value, in the order of traversal. */
function meetings(flow: Flow, catalog: Catalog): FlowEdge[] {
  const graph = flowGraph(flow);
  const { order, rest } = topologicalOrder(graph);
  if (rest.length > 0) return [];
  const kinds = outputKinds(flow, graph, order, catalog);
  const found = flow.edges.filter((edge) => {
    const source = flow.nodes[nodeOf(edge.from)];
    if (kinds.get(edge.from) !== 'stream' || !source || !TEXT_STREAMS.has(source.operator)) return false;
    return takesOneValue(flow, edge.to, catalog);
  });
  const places = new Map(order.map((id, at) => [id, at]));
  const place = ({ from }: FlowEdge) => places.get(nodeOf(from)) ?? 0;
  return found.sort((a, b) => place(a) - place(b));
}

function takesOneValue(flow: Flow, end: string, catalog: Catalog): boolean {
  const node = flow.nodes[nodeOf(end)];
  const info = node && operatorInfo(catalog, node.operator);
  if (!info) return false;
  const port = portsOf(node, info).inputs.find(({ name }) => name === end.slice(nodeOf(end).length + 1));
  // An operator with `lift` runs once for each item of a stream.
  return port?.kind === 'value' && !info.lift;
}

function addText(drawing: Drawing, from: string): string {
  const id = drawing.add('text', TEXT_OF_ITEMS, nodeOf(from), { x: 120, y: 120 });
  drawing.connect(from, `${id}.in`);
  return id;
}

function isAgent(flow: Flow, end: string): boolean {
  return flow.nodes[nodeOf(end)]?.operator === 'agent.run';
}

/** The origin of the question of an agent; undefined if it is not certain. */
function questionOf(flow: Flow, drawing: Drawing, from: string): string | undefined {
  const sources = isAgent(flow, from) ? drawing.sourcesOf(`${nodeOf(from)}.in`) : [];
  return sources.length === 1 ? sources[0] : undefined;
}

function nodeOf(end: string): string {
  return end.slice(0, end.indexOf('.'));
}
