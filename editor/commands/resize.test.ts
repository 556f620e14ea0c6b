import { expect, test } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import { FRAME_MAX, FRAME_MIN, frameFor, framesOf, resizeFrame } from '../model/document/frames.ts';
import { catalog } from '../model/testing/catalog.ts';
import { docOf } from '../model/testing/docs.ts';
import { resizeCommands } from './resize.ts';
import { run, sessionOf, steps } from './testing/session.ts';

const [WIDER, NARROWER, HIGHER, LOWER] = resizeCommands.map(({ id }) => id) as [
  string,
  string,
  string,
  string,
];

/** A loop with one node far right in it. */
const loop: FlowNode = {
  operator: 'data.for-each',
  body: { start: 'item', nodes: { inner: { operator: 'text.template' } }, edges: [] },
};
const made = docOf({ start: 'trigger.http', loop }, ['start.out>loop.in'], { loop: { x: 300, y: 0 } });
const doc = {
  ...made,
  layout: {
    ...made.layout,
    nodes: { ...made.layout.nodes, item: { x: 330, y: 100 }, inner: { x: 600, y: 100 } },
  },
};

const frameIn = (session: ReturnType<typeof sessionOf>) =>
  framesOf(session.editor.getState().doc, catalog).get('loop');

test('a selected frame grows and shrinks by keys, held down as one step, and undo takes it back', async () => {
  const session = sessionOf(doc);
  session.editor.getState().select(['loop']);
  const before = frameIn(session);
  for (const id of [WIDER, WIDER, HIGHER]) await run(resizeCommands, id, session);
  const after = frameIn(session);
  expect(after).toMatchObject({ x: before?.x, y: before?.y });
  expect(after?.width).toBeGreaterThan(before?.width ?? 0);
  expect(after?.height).toBe((before?.height ?? 0) + 20);
  expect(session.ui.getState().announcement).toBe(`For each: ${after?.width} by ${after?.height}`);
  expect(session.editor.getState().doc.layout.nodes['inner'], 'what is in it stays').toEqual({
    x: 600,
    y: 100,
  });
  while (steps(session).length > 0) session.editor.getState().undo();
  expect(frameIn(session)).toEqual(before);
});

test('a frame stops at what is in it, and never gets smaller than its bar', async () => {
  const session = sessionOf(doc);
  session.editor.getState().select(['loop']);
  for (let n = 0; n < 60; n++) {
    await run(resizeCommands, NARROWER, session);
    await run(resizeCommands, LOWER, session);
  }
  const small = frameIn(session);
  // The right edge of the inner node, with a margin.
  expect((small?.x ?? 0) + (small?.width ?? 0)).toBe(600 + 240 + 30);
  expect(small?.height).toBeGreaterThanOrEqual(FRAME_MIN.height);
});

test('a frame that is dragged smaller from the left keeps its right edge', () => {
  const from = framesOf(doc, catalog).get('loop') ?? { x: 0, y: 0, width: 0, height: 0 };
  const right = from.x + from.width;
  const wanted = { ...from, x: from.x + 400, width: from.width - 400 };
  const got = frameFor(doc, catalog, 'loop', wanted);
  expect(got.x).toBe(300);
  expect(got.x + got.width).toBeGreaterThanOrEqual(right);
});

test.each([
  [Number.NaN, Number.POSITIVE_INFINITY],
  [-5, 0],
  [1e308, 1e308],
])('no size beyond the limits is taken: %d by %d', (width, height) => {
  const got = frameFor(doc, catalog, 'loop', { x: 300, y: 0, width, height });
  expect(got.width).toBeGreaterThanOrEqual(FRAME_MIN.width);
  expect(got.height).toBeGreaterThanOrEqual(FRAME_MIN.height);
  expect(got.width).toBeLessThanOrEqual(FRAME_MAX.width);
  expect(got.height).toBeLessThanOrEqual(FRAME_MAX.height);
});

test('a note is resized by the same keys, and what has no size says so', async () => {
  const session = sessionOf({
    ...doc,
    layout: { ...doc.layout, notes: [{ id: 'note_1', text: '', x: 0, y: 0 }] },
  });
  await expect(run(resizeCommands, WIDER, session)).rejects.toThrow('Select a frame or a note first.');
  session.editor.getState().select([], [], ['note_1']);
  await run(resizeCommands, WIDER, session);
  for (let n = 0; n < 20; n++) await run(resizeCommands, LOWER, session);
  expect(session.editor.getState().doc.layout.notes?.[0]).toMatchObject({ width: 260, height: 60 });
});

test('a frame that somebody else deletes while it is dragged leaves no place behind', () => {
  const session = sessionOf(made);
  const { commit } = session.editor.getState();
  commit('Resize frame', (draft) => resizeFrame(draft, 'gone', { x: 0, y: 0, width: 600, height: 300 }));
  expect(session.editor.getState().doc).toEqual(made);
});
