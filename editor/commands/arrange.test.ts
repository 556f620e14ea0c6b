import { expect, test } from 'vitest';
import type { Doc } from '../model/document/document.ts';
import { arrangeCommands } from './arrange.ts';
import { run, sessionOf, steps } from './testing/session.ts';

const node = { operator: 'text.template' };
const doc: Doc = {
  flow: { format: 1, id: 'a', nodes: { a: node, b: node, c: node }, edges: [] },
  layout: { format: 1, nodes: { a: { x: 0, y: 0 }, b: { x: 300, y: 40 }, c: { x: 900, y: 90 } } },
};

test('the selected nodes are put in line, as one step', async () => {
  const session = sessionOf(doc);
  session.editor.getState().select(['a', 'c']);
  await run(arrangeCommands, 'align-top', session);
  expect(session.editor.getState().doc.layout.nodes).toMatchObject({
    a: { x: 0, y: 0 },
    b: { x: 300, y: 40 },
    c: { x: 900, y: 0 },
  });
  expect(steps(session)).toEqual(['Align top']);
});

test('three nodes are needed for spaces to be equal', async () => {
  const session = sessionOf(doc);
  session.editor.getState().select(['a', 'c']);
  await expect(run(arrangeCommands, 'distribute-x', session)).rejects.toThrow('Select at least three nodes.');
  session.editor.getState().select(['a', 'b', 'c']);
  await run(arrangeCommands, 'distribute-x', session);
  expect(session.editor.getState().doc.layout.nodes['b']).toMatchObject({ x: 450, y: 40 });
});
