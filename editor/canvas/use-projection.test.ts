import { expect, test } from 'vitest';
import { connect } from '../commands/palette.ts';
import { sessionOf } from '../commands/testing/session.ts';
import { setInNode } from '../model/document/edit.ts';
import { LARGE_FLOW } from '../model/drawing/viewport.ts';
import { docOf } from '../model/testing/docs.ts';
import { createProjector } from './use-projection.ts';

const STILL = { moved: new Map(), sized: new Map() };

function drawnOf(count: number) {
  const nodes = Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, 'text.template']));
  const session = sessionOf(docOf(nodes));
  const project = createProjector();
  const { editor } = session;
  const draw = (pauses: number, dragged = STILL) => project(editor.getState(), dragged, pauses);
  const name = (text: string, mergeKey?: string) =>
    editor
      .getState()
      .commit('Change name of n3', (draft) => setInNode(draft, 'n3', ['name'], text), mergeKey);
  const titleOf = ({ nodes: drawn }: ReturnType<typeof draw>) => {
    const found = drawn.find(({ id }) => id === 'n3');
    return found?.type === 'operator' ? found.data.title : undefined;
  };
  return { editor, draw, name, titleOf };
}

test('a large flow is not drawn anew for each letter, but once nothing was typed for a moment', () => {
  const { draw, name, titleOf } = drawnOf(LARGE_FLOW);
  const first = draw(0);
  for (const text of ['H', 'He', 'Hel']) {
    name(text, 'n3 name');
    expect(draw(0), 'the letters come first').toBe(first);
  }
  const paused = draw(1);
  expect(titleOf(paused)).toBe('Hel');
  expect(draw(1), 'the same state and pause give the same drawing').toBe(paused);
});

test('what else changes meanwhile is drawn at once, with all that was typed', () => {
  const { editor, draw, name, titleOf } = drawnOf(LARGE_FLOW);
  draw(0);
  name('Hello', 'n3 name');
  editor.getState().select(['n3']);
  expect(titleOf(draw(0))).toBe('Hello');
  name('Hello you', 'n3 name');
  const moved = draw(0, { ...STILL, moved: new Map([['n4', { x: 5, y: 5 }]]) });
  expect(titleOf(moved)).toBe('Hello you');
  name('Renamed');
  expect(titleOf(draw(0)), 'a step of its own is not typed').toBe('Renamed');
});

test('a flow of usual size is drawn with each letter', () => {
  const { draw, name, titleOf } = drawnOf(10);
  draw(0);
  name('H', 'n3 name');
  expect(titleOf(draw(0))).toBe('H');
});

test('an edge in the body of a frame is drawn at once, though it is a step with a key', () => {
  const inner = { a: { operator: 'text.template' }, b: { operator: 'text.template' } };
  const loop = { operator: 'data.for-each', body: { start: 'item', nodes: inner, edges: [] } };
  const others = Object.fromEntries(Array.from({ length: LARGE_FLOW }, (_, n) => [`n${n}`, 'text.template']));
  const session = sessionOf(docOf({ loop, ...others }));
  const project = createProjector();
  const draw = () => project(session.editor.getState(), STILL, 0);
  const before = draw().edges.length;
  connect(session, 'a.out', 'b.in');
  expect(draw().edges.length).toBe(before + 1);
});
