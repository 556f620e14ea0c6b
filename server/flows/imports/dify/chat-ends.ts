import { type DifyApp, type DifyEdge, type DifyNode, textOf } from './app.ts';
import { type Graph, graphOf } from './graph.ts';
import { STARTS } from './table.ts';

/** How a chat ends. */
export interface ChatEnds {
  /** At most one of its answers is given in a run, and nothing follows them: each can be the result itself. */
  readonly isOneAnswer: boolean;
  /** Models whose text is such an answer, which nothing else reads: it is streamed. */
  readonly streamed: ReadonlySet<string>;
}

const NONE: ChatEnds = { isOneAnswer: false, streamed: new Set() };

/** Nodes that continue at only one of their outputs. */
const BRANCHES = new Set(['if-else', 'question-classifier']);
/** The types of last nodes that add nothing to an answer. */
const SILENT = new Set(['answer', 'assigner']);

export function chatEnds(app: DifyApp): ChatEnds {
  const outer = app.nodes.filter(({ type, parent }) => parent === undefined && type !== 'custom-note');
  const ids = new Set(outer.map(({ id }) => id));
  const edges = app.edges.filter(({ from, to }) => ids.has(from) && ids.has(to));
  const starts = outer.filter(({ type }) => STARTS.has(type)).map(({ id }) => id);
  const graph = graphOf([...ids], edges, starts);
  const byId = new Map(outer.map((node) => [node.id, node]));
  const reached = graph.order.map((id) => byId.get(id) as DifyNode);
  const from = new Set(graph.edges.map((edge) => edge.from));
  const last = reached.filter(({ id }) => !from.has(id));
  const answers = last.filter(({ type }) => type === 'answer');
  const all = app.nodes.filter(({ id, type }) => type === 'answer' && !graph.idle.has(id));
  if (answers.length === 0 || answers.length !== all.length || last.some(({ type }) => !SILENT.has(type)))
    return NONE;
  const branches = reached.filter(({ type }) => BRANCHES.has(type)).map(({ id }) => id);
  const ways = answers.map(
    ({ id }) =>
      new Map(branches.filter((one) => graph.isSure(one, id)).map((one) => [one, waysTo(graph, one, id)])),
  );
  const isOneAnswer = ways.every((one, at) => ways.slice(at + 1).every((other) => isApart(one, other)));
  if (!isOneAnswer) return NONE;
  const streamed = answers.flatMap((answer) => modelOf(app, graph, byId, answer) ?? []);
  return { isOneAnswer, streamed: new Set(streamed) };
}

type Ways = ReadonlyMap<string, ReadonlySet<string>>;

/** Whether a branch that both come after leads to them by other ways. */
function isApart(one: Ways, other: Ways): boolean {
  return [...one].some(([branch, ways]) => {
    const others = other.get(branch);
    return others !== undefined && ![...ways].some((way) => others.has(way));
  });
}

/** The ways out of a branch by which a node can be reached. */
function waysTo({ edges, isBefore }: Graph, branch: string, id: string): Set<string> {
  const out = edges.filter(({ from }) => from === branch);
  return new Set(out.filter(({ to }) => to === id || isBefore(to, id)).map(({ handle }) => handle));
}

/** The model whose text is the answer, if nothing comes between and nobody else reads it. */
function modelOf(
  app: DifyApp,
  { edges }: Graph,
  nodes: ReadonlyMap<string, DifyNode>,
  answer: DifyNode,
): string | undefined {
  const id = streamOf(answer);
  const model = id === undefined ? undefined : nodes.get(id);
  if (model?.type !== 'llm' || isChecked(model)) return undefined;
  const isOnly = edges.every((edge: DifyEdge) => (edge.from === model.id) === (edge.to === answer.id));
  return isOnly && !isReadBeside(app, model, answer) ? model.id : undefined;
}

/** The id of the node whose text is the whole answer. */
export function streamOf({ data }: DifyNode): string | undefined {
  return /^\s*\{\{#([^.#]+)\.text#\}\}\s*$/.exec(textOf(data['answer']))?.[1];
}

const isChecked = ({ data }: DifyNode): boolean =>
  data['structured_output_enabled'] === true || textOf(data['error_strategy']) !== '';

function isReadBeside({ nodes }: DifyApp, { id }: DifyNode, answer: DifyNode): boolean {
  const others = JSON.stringify(nodes.filter((node) => node !== answer).map(({ data }) => data));
  return [`[${JSON.stringify(id)},`, JSON.stringify(`#${id}.`).slice(1, -1)].some((read) =>
    others.includes(read),
  );
}
