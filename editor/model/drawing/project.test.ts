import { produce } from 'immer';
import { expect, test } from 'vitest';
import type { Doc } from '../document/document.ts';
import { addNote } from '../document/notes.ts';
import { type Projection, project, type View } from './project.ts';
import { catalog } from '../testing/catalog.ts';
import { docOf } from '../testing/docs.ts';

const view: View = {
  selectedNodes: new Set(),
  selectedEdges: new Set(),
  selectedNotes: new Set(),
  moved: new Map(),
  sized: new Map(),
};
const chain = docOf({ start: 'trigger.http', list: 'core.streamify', all: 'core.unstreamify' }, [
  'start.out>list.in',
  'list.out>all.in',
]);
const show = (doc: Doc, more: Partial<View> = {}, previous?: Projection) =>
  project(doc, catalog, { ...view, ...more }, previous);
const nodeIn = (projection: Projection, id: string) => {
  const node = projection.byId.get(id);
  if (node?.type !== 'operator') throw new Error(`no operator ${id}`);
  return node;
};

test('a projection of the same document is the same nodes and edges', () => {
  const first = show(chain);
  const second = show(chain, {}, first);
  expect(second.nodes).toBe(first.nodes);
  expect(second.edges).toBe(first.edges);
});

test('moving one node makes a new object of that node alone', () => {
  const first = show(chain);
  const moved = produce(chain, (draft) => {
    Object.assign(draft.layout.nodes['list'] ?? {}, { x: 1000 });
  });
  const second = show(moved, {}, first);
  expect(second.nodes.map((node) => node === first.byId.get(node.id))).toEqual([true, false, true]);
  expect(nodeIn(second, 'list').position).toEqual({ x: 1000, y: 0 });
  expect(nodeIn(second, 'list').data).toBe(nodeIn(first, 'list').data);
});

test('a drag that has not ended shows the node where the pointer has it, and nowhere in the document', () => {
  const dragged = show(chain, { moved: new Map([['all', { x: 5, y: 7 }]]) });
  expect(nodeIn(dragged, 'all').position).toEqual({ x: 5, y: 7 });
  expect(chain.layout.nodes['all']).toEqual({ x: 600, y: 0 });
});

test('what is seen of a node draws it anew, and leaves the others what they were', () => {
  const first = show(chain);
  const edited = produce(chain, (draft) => {
    const node = draft.flow.nodes['start'];
    if (node) node.disabled = true;
  });
  const second = show(edited, {}, first);
  expect(nodeIn(second, 'start')).not.toBe(nodeIn(first, 'start'));
  expect(nodeIn(second, 'list')).toBe(nodeIn(first, 'list'));
  expect(second.edges).toBe(first.edges);
});

test('changing settings reads the graph no more, unless they name ports', () => {
  const before = docOf({
    start: 'trigger.http',
    sw: { operator: 'logic.switch', params: { cases: [{ name: 'a' }], other: 1 } },
  });
  const first = show(before);
  const typed = produce(before, (draft) => {
    Object.assign(draft.flow.nodes['sw']?.params ?? {}, { other: 2 });
  });
  const second = show(typed, {}, first);
  expect(second.kinds).toBe(first.kinds);
  expect(second.shapes).toBe(first.shapes);
  const added = produce(typed, (draft) => {
    Object.assign(draft.flow.nodes['sw']?.params ?? {}, { cases: [{ name: 'a' }, { name: 'b' }] });
  });
  const third = show(added, {}, second);
  expect(nodeIn(third, 'sw').data.ports.map((port) => port.name)).toContain('b');
});

test('typing into a setting draws nothing anew; a new name does, edges included', () => {
  const first = show(chain);
  const typed = produce(chain, (draft) => {
    Object.assign(draft.flow.nodes['list'] ?? {}, { params: { value: 'typed' } });
  });
  const second = show(typed, {}, first);
  expect(second.nodes).toBe(first.nodes);
  expect(second.byId).toBe(first.byId);
  expect(second.edges).toBe(first.edges);
  expect(second.edgeById).toBe(first.edgeById);
  const named = produce(typed, (draft) => {
    Object.assign(draft.flow.nodes['list'] ?? {}, { name: 'Items' });
  });
  const third = show(named, {}, second);
  expect(third.edges).not.toBe(second.edges);
  expect(third.edges.map((edge) => edge.ariaLabel).join()).toContain('Items');
});

test('selecting makes a new object of what is selected and of what was', () => {
  const first = show(chain, { selectedNodes: new Set(['start']) });
  const second = show(
    chain,
    { selectedNodes: new Set(['all']), selectedEdges: new Set(['start.out>list.in']) },
    first,
  );
  expect(second.nodes.filter((node) => node.selected).map((node) => node.id)).toEqual(['all']);
  expect(nodeIn(second, 'list')).toBe(nodeIn(first, 'list'));
  expect(second.edges.map((edge) => edge.selected)).toEqual([true, false]);
});

test('size and handles are known without measuring', () => {
  const node = nodeIn(
    show(docOf({ pick: { operator: 'logic.switch', params: { cases: [{ name: 'a' }, { name: 'b' }] } } })),
    'pick',
  );
  expect(node.measured).toEqual({ width: node.width, height: node.height });
  expect(node.handles?.map((h) => `${h.type} ${h.id}`)).toEqual([
    'target in',
    'source default',
    'source a',
    'source b',
  ]);
  // The only port of a side needs no row.
  expect(node.handles?.map((h) => h.y)).toEqual([30, 54, 78, 102]);
});

test('the look of ports and edges follows what they carry', () => {
  const doc = docOf(
    {
      start: { operator: 'trigger.http', onError: 'route' },
      list: 'core.streamify',
      pass: 'core.either',
      log: 'core.log',
    },
    ['start.out>list.in', 'list.out>pass.in', 'start.error>log.in'],
  );
  const projection = show(doc);
  const looks = (id: string) => nodeIn(projection, id).data.ports.map((port) => `${port.name} ${port.look}`);
  expect(looks('start')).toEqual(['out value', 'error error']);
  expect(looks('pass')).toEqual(['in stream', 'out stream']);
  expect(projection.edges.map((edge) => edge.data?.look)).toEqual(['value', 'stream', 'error']);
});

test('a node further down learns of a stream that begins to flow into it', () => {
  const before = docOf({ list: 'core.streamify', pass: 'core.either' });
  const first = show(before);
  const after = produce(before, (draft) => {
    draft.flow.edges.push({ from: 'list.out', to: 'pass.in' });
  });
  const second = show(after, {}, first);
  expect(nodeIn(second, 'pass').data.ports.map((port) => port.look)).toEqual(['stream', 'stream']);
});

test('an edge to a port that is not there stays visible, at a port that is marked as missing', () => {
  const doc = docOf(
    { start: 'trigger.http', pick: { operator: 'logic.switch', params: { cases: [] } }, log: 'core.log' },
    ['start.out>pick.in', 'pick.gone>log.in'],
  );
  const projection = show(doc);
  expect(nodeIn(projection, 'pick').data.ports.map((port) => `${port.name} ${port.look}`)).toEqual([
    'in value',
    'default value',
    'gone missing',
  ]);
  expect(projection.edges).toHaveLength(2);
});

test('a node of an unknown operator keeps the ports that its edges name', () => {
  const doc = docOf({ start: 'trigger.http', odd: 'my.own', log: 'core.log' }, [
    'start.out>odd.a',
    'odd.b>log.in',
  ]);
  const odd = nodeIn(show(doc), 'odd');
  expect(odd.data.info).toBeUndefined();
  expect(odd.data.ports.map((port) => port.name)).toEqual(['a', 'b']);
});

test('edges without both of their nodes, and the second of two equal ones, are not drawn', () => {
  const doc = docOf({ start: 'trigger.http', log: 'core.log' }, [
    'start.out>log.in',
    'start.out>log.in',
    'start.out>nobody.in',
  ]);
  expect(show(doc).edges.map((edge) => edge.id)).toEqual(['start.out>log.in']);
});

test('notes come before the nodes, so that they lie behind them, and keep their identity too', () => {
  const doc = produce(chain, (draft) => {
    addNote(draft, { x: 3, y: 4 }, 'Hello');
  });
  const first = show(doc);
  expect(first.nodes[0]).toMatchObject({ id: 'note:note_1', type: 'note', position: { x: 0, y: 0 } });
  const resized = show(doc, { sized: new Map([['note:note_1', { width: 500, height: 90 }]]) }, first);
  expect(resized.nodes[0]).toMatchObject({ width: 500, height: 90 });
  expect(show(doc, {}, first).nodes[0]).toBe(first.nodes[0]);
});

test('nodes come in the order in which they run, whatever their ids, so that Tab follows the flow', () => {
  const doc = docOf({ z: 'trigger.http', m: 'text.template', a: 'core.log' }, ['z.out>m.in', 'm.out>a.in']);
  expect(show(doc).nodes.map((node) => node.id)).toEqual(['z', 'm', 'a']);
});

test('nodes on a cycle are there too', () => {
  const doc = docOf({ a: 'core.merge', b: 'core.merge' }, ['a.out>b.in', 'b.out>a.in']);
  expect(show(doc).nodes).toHaveLength(2);
});
