import { parse, formatFlow, formatLayout } from '#engine/check';
import { Layout } from '#shared/layout.ts';
import { expect } from 'vitest';
import { copyCommand, cutCommand, duplicateCommand, pasteCommand } from '../../commands/clipboard.ts';
import { deleteAndBridgeCommand, deleteCommand, selectAllCommand } from '../../commands/edit.ts';
import type { Session } from '../../commands/command.ts';
import { addNoteCommand, nodeCommands, toggleDisabledCommand } from '../../commands/node.ts';
import { addOperator, connect } from '../../commands/palette.ts';
import { sessionOf } from '../../commands/testing/session.ts';
import { verdictsFor } from '../../model/document/connect.ts';
import { type Doc, edgeId, emptyDoc } from '../../model/document/document.ts';
import { moveNodes, nodeOf, removeEdges, setInNode } from '../../model/document/edit.ts';
import { portsOfNode } from '../../model/document/geometry.ts';
import { noteKey } from '../../model/document/notes.ts';
import { type CanvasNode, type Projection, project } from '../../model/drawing/project.ts';
import { renameNodeId } from '../../model/document/rename-node.ts';

const COMMANDS = 1_000;
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

const nodesOf = ({ session }: Person): string[] => Object.keys(session.editor.getState().doc.flow.nodes);

function selectSome(person: Person): void {
  const { doc, select } = person.session.editor.getState();
  const some = <T>(list: readonly T[]): T[] => list.filter(() => person.random() < 0.3);
  select(
    some(nodesOf(person)),
    some(doc.flow.edges.map(edgeId)),
    some((doc.layout.notes ?? []).map((n) => n.id)),
  );
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
  const [source, target] = [any(nodesOf(person)), any(nodesOf(person))];
  if (source === undefined || target === undefined) return;
  const out = any(portsOfNode(doc, catalog, source).outputs);
  const into = any(portsOfNode(doc, catalog, target).inputs);
  if (!out || !into) return;
  const [from, to] = [`${source}.${out.name}`, `${target}.${into.name}`];
  if (verdictsFor(doc, catalog, { from })(to).ok) connect(session, from, to);
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
    const edge = any(session.editor.getState().doc.flow.edges);
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
    const chosen = person.any(nudges);
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
  expect(operators.map(({ id }) => id).sort()).toEqual(Object.keys(flow.nodes).sort());
  for (const { id, position, data } of operators) {
    const { operator, disabled = false } = flow.nodes[id] ?? {};
    expect(data).toMatchObject({ operator, disabled });
    expect(position).toEqual({ x: layout.nodes[id]?.x, y: layout.nodes[id]?.y });
  }
  expect(nodes.filter(({ type }) => type === 'note').map(({ id }) => id)).toEqual(
    (layout.notes ?? []).map(({ id }) => noteKey(id)),
  );
  expect(edges.map(({ id }) => id)).toEqual(flow.edges.map(edgeId));
}

/** The saved file parses to the edited document. */
function expectSaved({ flow, layout }: Doc): void {
  const text = formatFlow(flow);
  const read = parse(text, { id: flow.id });
  expect(read.problems).toEqual([]);
  expect(read.flow && { ...read.flow, edges: sorted(read.flow.edges) }).toEqual(
    JSON.parse(JSON.stringify({ ...flow, edges: sorted(flow.edges) })),
  );
  expect(formatFlow(read.flow ?? flow)).toBe(text);
  expect(Layout.parse(JSON.parse(formatLayout(layout)))).toEqual(layout);
}

const sorted = <T extends { from: string; to: string }>(edges: readonly T[]): T[] =>
  [...edges].sort((a, b) => edgeId(a).localeCompare(edgeId(b)));

function expectWhole({
  doc,
  selectedNodes,
  selectedEdges,
  selectedNotes,
}: ReturnType<Session['editor']['getState']>): void {
  const ids = new Set(Object.keys(doc.flow.nodes));
  expect(Object.keys(doc.layout.nodes).sort()).toEqual([...ids].sort());
  const ends = doc.flow.edges.flatMap(({ from, to }) => [nodeOf(from), nodeOf(to)]);
  expect(ends.filter((id) => !ids.has(id))).toEqual([]);
  expect(new Set(doc.flow.edges.map(edgeId)).size).toBe(doc.flow.edges.length);
  expect([...selectedNodes].filter((id) => !ids.has(id))).toEqual([]);
  const edges = new Set(doc.flow.edges.map(edgeId));
  expect([...selectedEdges].filter((id) => !edges.has(id))).toEqual([]);
  const notes = new Set(doc.layout.notes?.map(({ id }) => id));
  expect([...selectedNotes].filter((id) => !notes.has(id))).toEqual([]);
}

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

/** After any edits in any order, the edited, the drawn and the saved flow are equal, and every step can be undone and redone. */
export async function editAtRandom(seed: number): Promise<void> {
  const person = personOf(seed);
  const { editor } = person.session;
  let start = editor.getState().doc;
  let shown: Projection | undefined;
  let most = 0;
  for (let n = 1; n <= COMMANDS; n++) {
    await person.any(acts)?.(person);
    const state = editor.getState();
    const { doc, catalog, selectedNodes, selectedEdges, selectedNotes } = state;
    most = Math.max(most, Object.keys(doc.flow.nodes).length);
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
}
