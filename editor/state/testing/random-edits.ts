import { parse, formatFlow, formatLayout } from '#engine/check';
import { formatOf } from '#shared/flow.ts';
import { Layout } from '#shared/layout.ts';
import { expect } from 'vitest';
import { copyCommand, cutCommand, duplicateCommand, pasteCommand } from '../../commands/clipboard.ts';
import { collapseCommand } from '../../commands/collapse.ts';
import { groupCommand, ungroupCommand } from '../../commands/container.ts';
import { deleteAndBridgeCommand, deleteCommand, selectAllCommand } from '../../commands/edit.ts';
import type { Session } from '../../commands/command.ts';
import { nodeCommands, toggleDisabledCommand } from '../../commands/node.ts';
import { addNoteCommand } from '../../commands/note.ts';
import { resizeCommands } from '../../commands/resize.ts';
import { addOperator, connect } from '../../commands/palette.ts';
import { sessionOf } from '../../commands/testing/session.ts';
import { verdictsFor } from '../../model/document/connect.ts';
import { type Doc, edgeId, emptyDoc } from '../../model/document/document.ts';
import { flatFlow, type Graph, graphsOf, holdersOf, isStart, nodeIn } from '../../model/document/flat.ts';
import { hiddenNodes } from '../../model/document/frames.ts';
import { moveInto } from '../../model/document/reshape.ts';
import { moveNodes, nodeOf, removeEdges, setInNode } from '../../model/document/edit.ts';
import { portsOfNode } from '../../model/document/geometry.ts';
import { noteKey } from '../../model/document/notes.ts';
import { type CanvasNode, type Projection, project } from '../../model/drawing/project.ts';
import { renameNodeId } from '../../model/document/rename-node.ts';

/** With more nodes than this, some are deleted before anything else. */
const ENOUGH = 100;
/** The history keeps 200 steps, so now and then the flow is reopened. */
const PER_VISIT = 150;

/** Mulberry32: the same numbers for the same seed, so that a failure can be reproduced. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Person {
  readonly session: Session;
  readonly random: () => number;
  any<T>(list: readonly T[]): T | undefined;
}

type Act = (person: Person) => void | Promise<void>;

const nodesOf = ({ session }: Person): string[] =>
  Object.entries(flatFlow(session.editor.getState().doc.flow).nodes).flatMap(([id, node]) =>
    isStart(node) ? [] : [id],
  );

function selectSome(person: Person): void {
  const { doc, select } = person.session.editor.getState();
  const some = <T>(list: readonly T[]): T[] => list.filter(() => person.random() < 0.3);
  select(
    some(nodesOf(person)),
    some(flatFlow(doc.flow).edges.map(edgeId)),
    some((doc.layout.notes ?? []).map((n) => n.id)),
  );
}

async function thinOut(person: Person): Promise<void> {
  selectSome(person);
  await doIt(person, deleteCommand);
}

/** As in the app, a command that is disabled is not executed. */
async function doIt(
  person: Person,
  command: { enabled?(s: Session): true | string; run(s: Session): void | Promise<void> },
) {
  if ((command.enabled?.(person.session) ?? true) === true) await command.run(person.session);
}

function connectSome(person: Person): void {
  const { session, any } = person;
  const { doc, catalog } = session.editor.getState();
  const all = Object.keys(flatFlow(doc.flow).nodes);
  const [source, target] = [any(all), any(all)];
  if (source === undefined || target === undefined) return;
  const out = any(portsOfNode(doc, catalog, source).outputs);
  const into = any(portsOfNode(doc, catalog, target).inputs);
  if (!out || !into) return;
  const [from, to] = [`${source}.${out.name}`, `${target}.${into.name}`];
  if (verdictsFor(doc, catalog, { from })(to).ok) connect(session, from, to);
}

/** Drags nodes into a frame, or out of the one that they are in. */
function moveSome(person: Person): void {
  const { session, any, random } = person;
  const { doc, catalog, commit } = session.editor.getState();
  const frames = nodesOf(person).filter((id) => nodeIn(doc.flow, id)?.body);
  const holder = random() < 0.3 ? undefined : any(frames);
  const chosen = nodesOf(person).filter(() => random() < 0.1);
  const moved = moveInto(doc, catalog, chosen, holder);
  if (!moved.ok) return;
  commit('Move into a frame', (draft) => {
    draft.flow = moved.doc.flow;
    draft.layout = moved.doc.layout;
  });
}

const acts: readonly Act[] = [
  (person) => {
    const { session, any, random } = person;
    const type = any(Object.keys(session.editor.getState().catalog.operators)) ?? '';
    addOperator(session, type, random() < 0.5 ? {} : { at: { x: random() * 900, y: random() * 600 } });
  },
  connectSome,
  connectSome,
  (person) => {
    const { session, any } = person;
    const edge = any(flatFlow(session.editor.getState().doc.flow).edges);
    if (edge) session.editor.getState().commit('Delete edge', (draft) => removeEdges(draft, [edgeId(edge)]));
  },
  (person) => {
    const { session, any, random } = person;
    const id = any(nodesOf(person));
    if (id === undefined) return;
    const values = [
      `{{ nodes.${any(nodesOf(person))}.out }} "quoted"\n`,
      42,
      undefined,
      [{ name: 'a' }, { name: 'b' }],
      null,
    ];
    const path = random() < 0.5 ? ['params', 'template'] : ['params', 'cases'];
    session.editor
      .getState()
      .commit(
        'Change',
        (draft) => setInNode(draft, id, path, any(values)),
        random() < 0.5 ? `${id} ${String(path)}` : undefined,
      );
  },
  (person) => {
    const { session, any, random } = person;
    const id = any(nodesOf(person));
    const to = `renamed_${Math.floor(random() * 40)}`;
    if (id !== undefined) session.editor.getState().commit('Rename', (draft) => renameNodeId(draft, id, to));
  },
  (person) => {
    const { session, random } = person;
    const places = nodesOf(person).filter(() => random() < 0.4);
    session.editor
      .getState()
      .commit('Move', (draft) =>
        moveNodes(
          draft,
          Object.fromEntries(places.map((id) => [id, { x: random() * 1e4, y: random() * 1e4 }])),
        ),
      );
  },
  moveSome,
  moveSome,
  (person) => doIt(person, collapseCommand),
  (person) => doIt(person, groupCommand),
  (person) => doIt(person, ungroupCommand),
  selectSome,
  selectSome,
  (person) => doIt(person, copyCommand),
  (person) => doIt(person, cutCommand),
  (person) => doIt(person, pasteCommand),
  (person) => doIt(person, duplicateCommand),
  (person) => doIt(person, deleteCommand),
  (person) => doIt(person, deleteAndBridgeCommand),
  (person) => doIt(person, toggleDisabledCommand),
  (person) => doIt(person, addNoteCommand),
  (person) => doIt(person, selectAllCommand),
  (person) => {
    const nudges = nodeCommands.filter(({ id }) => id.startsWith('nudge'));
    const chosen = person.any([...nudges, ...resizeCommands]);
    return chosen && doIt(person, chosen);
  },
  ({ session }) => session.editor.getState().undo(),
  ({ session }) => session.editor.getState().undo(),
  ({ session }) => session.editor.getState().redo(),
];

function personOf(seed: number): Person {
  const session = sessionOf(emptyDoc('random'));
  const random = randomFrom(seed);
  let clipboard = '';
  const actions: Partial<Session['actions']> = {
    writeClipboard: (text) => {
      clipboard = text;
      return Promise.resolve();
    },
    readClipboard: () => Promise.resolve(clipboard),
    toast: () => undefined,
  };
  return {
    session: { ...session, actions: actions as Session['actions'] },
    random,
    any: (list) => list[Math.floor(random() * list.length)],
  };
}

/** The drawing equals the edited document. */
function expectDrawn({ flow, layout }: Doc, { nodes, edges }: Projection): void {
  const operators = nodes.filter(
    (node): node is Extract<CanvasNode, { type: 'operator' }> => node.type === 'operator',
  );
  const hidden = hiddenNodes({ flow, layout });
  const all = flatFlow(flow);
  const seen = Object.keys(all.nodes).filter((id) => !hidden.has(id));
  const frames = nodes.filter(({ type }) => type === 'frame');
  expect([...operators, ...frames].map(({ id }) => id).sort()).toEqual(seen.sort());
  expect(frames.every(({ id }) => all.nodes[id]?.body !== undefined)).toBe(true);
  for (const { id, position, data } of operators) {
    const { operator, disabled = false } = all.nodes[id] ?? {};
    expect(data).toMatchObject({ operator, disabled });
    expect(position).toEqual({ x: layout.nodes[id]?.x, y: layout.nodes[id]?.y });
  }
  expect(nodes.filter(({ type }) => type === 'note').map(({ id }) => id)).toEqual(
    (layout.notes ?? []).map(({ id }) => noteKey(id)),
  );
  expect(edges.map(({ id }) => id)).toEqual(
    all.edges.filter(({ to }) => !hidden.has(nodeOf(to))).map(edgeId),
  );
}

/** The saved file parses to the edited document. */
function expectSaved({ flow, layout }: Doc): void {
  const text = formatFlow(flow);
  const read = parse(text, { id: flow.id });
  expect(read.problems).toEqual([]);
  expect(read.flow && inOrder(read.flow)).toEqual(
    JSON.parse(JSON.stringify({ ...inOrder(flow), format: Math.max(flow.format, formatOf(flow)) })),
  );
  expect(formatFlow(read.flow ?? flow)).toBe(text);
  expect(Layout.parse(JSON.parse(formatLayout(layout)))).toEqual(layout);
}

/** With the edges of each body in order. */
function inOrder<T extends Graph>(graph: T): T {
  const nodes = Object.entries(graph.nodes).map(([id, node]) => [
    id,
    node.body ? { ...node, body: inOrder(node.body) } : node,
  ]);
  return { ...graph, nodes: Object.fromEntries(nodes) as T['nodes'], edges: sorted(graph.edges) };
}

const sorted = <T extends { from: string; to: string }>(edges: readonly T[]): T[] =>
  [...edges].sort((a, b) => edgeId(a).localeCompare(edgeId(b)));

function expectWhole({
  doc,
  selectedNodes,
  selectedEdges,
  selectedNotes,
}: ReturnType<Session['editor']['getState']>): void {
  const all = flatFlow(doc.flow);
  const ids = new Set(Object.keys(all.nodes));
  expect(Object.keys(doc.layout.nodes).sort()).toEqual([...ids].sort());
  for (const graph of graphsOf(doc.flow)) {
    const own = new Set(Object.keys(graph.nodes));
    if ('start' in graph) own.add(String(graph.start));
    const ends = graph.edges.flatMap(({ from, to }) => [nodeOf(from), nodeOf(to)]);
    expect(ends.filter((id) => !own.has(id))).toEqual([]);
  }
  const count = [...graphsOf(doc.flow)].reduce((sum, { nodes }) => sum + Object.keys(nodes).length, 0);
  expect(nodesIn(all), 'each node is in one place').toBe(count);
  expect(new Set(all.edges.map(edgeId)).size).toBe(all.edges.length);
  expect([...selectedNodes].filter((id) => !ids.has(id))).toEqual([]);
  const edges = new Set(all.edges.map(edgeId));
  expect([...selectedEdges].filter((id) => !edges.has(id))).toEqual([]);
  const notes = new Set(doc.layout.notes?.map(({ id }) => id));
  expect([...selectedNotes].filter((id) => !notes.has(id))).toEqual([]);
}

const nodesIn = ({ nodes }: Graph): number => Object.values(nodes).filter((node) => !isStart(node)).length;

/** Undoes everything and redoes it. */
function expectReversible({ session: { editor } }: Person, start: Doc): void {
  const { doc: end, history } = editor.getState();
  const steps = history.past.length;
  for (let i = 0; i < steps; i++) editor.getState().undo();
  expect(editor.getState().doc).toEqual(start);
  for (let i = 0; i < steps + history.future.length; i++) editor.getState().redo();
  for (let i = 0; i < history.future.length; i++) editor.getState().undo();
  expect(editor.getState().doc).toEqual(end);
}

/** After so many edits in any order, the edited, the drawn and the saved flow are equal, and every step can be undone and redone. */
export async function editAtRandom(seed: number, edits: number): Promise<void> {
  const person = personOf(seed);
  const { editor } = person.session;
  let start = editor.getState().doc;
  let shown: Projection | undefined;
  let [most, deepest] = [0, 0];
  for (let n = 1; n <= edits; n++) {
    const count = nodesOf(person).length;
    await (count > ENOUGH ? thinOut(person) : person.any(acts)?.(person));
    const state = editor.getState();
    const { doc, catalog, selectedNodes, selectedEdges, selectedNotes } = state;
    const all = Object.keys(flatFlow(doc.flow).nodes);
    most = Math.max(most, all.length);
    deepest = Math.max(deepest, ...all.map((id) => holdersOf(doc.flow, id).length));
    expectWhole(state);
    const view = { selectedNodes, selectedEdges, selectedNotes, moved: new Map(), sized: new Map() };
    shown = project(doc, catalog, view, shown);
    expectDrawn(doc, shown);
    const anew = project(doc, catalog, view, undefined);
    expect([shown.nodes, shown.edges]).toEqual([anew.nodes, anew.edges]);
    expectSaved(doc);
    if (n % PER_VISIT === 0) {
      expectReversible(person, start);
      editor.getState().load(editor.getState().doc, `${n}`);
      start = editor.getState().doc;
    }
  }
  expect(most, 'the flow has grown on the way').toBeGreaterThan(10);
  expect(deepest, 'with bodies in bodies').toBeGreaterThan(1);
}
