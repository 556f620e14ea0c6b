import { produce } from 'immer';
import { expect, test } from 'vitest';
import { copyNodes } from './clipboard.ts';
import type { Doc } from './document.ts';
import { pasteNodes } from './paste.ts';
import { docOf } from '../testing/docs.ts';

/** Everything of a document, pasted into it again. */
function pasted(doc: Doc): { doc: Doc; ids: string[] } {
  const clip = copyNodes(doc, new Set(Object.keys(doc.flow.nodes)));
  let ids: string[] = [];
  const next = produce(doc, (draft) => {
    ids = pasteNodes(draft, clip, { x: 0, y: 0 });
  });
  return { doc: next, ids };
}

const reads = (...ids: string[]) => ({
  operator: 'text.template',
  params: { template: ids.map((id) => `{{ nodes.${id} }}`).join(' ') },
});

test('references among what is pasted follow, also where a new id is the old one of another node', () => {
  const doc = docOf({ a: 'x', a_2: reads('a', 'a_2', 'other'), a_3: reads('a_2') }, ['a.out>a_2.in']);
  const { doc: next, ids } = pasted(doc);
  expect(ids).toEqual(['a_4', 'a_5', 'a_6']);
  expect(next.flow.nodes['a_5']).toEqual(reads('a_4', 'a_5', 'other'));
  expect(next.flow.nodes['a_6']).toEqual(reads('a_5'));
  expect(next.flow.nodes['a_3']).toEqual(reads('a_2'));
  expect(next.flow.edges).toEqual([
    { from: 'a.out', to: 'a_2.in' },
    { from: 'a_4.out', to: 'a_5.in' },
  ]);
});

test('ids go on behind what is there, pasted once or again', () => {
  const doc = docOf(Object.fromEntries(['t', 't_2', 't_3'].map((id) => [id, 'x'])));
  const once = pasted(doc);
  expect(once.ids).toEqual(['t_4', 't_5', 't_6']);
  expect(pasted(once.doc).ids).toEqual(['t_7', 't_8', 't_9', 't_10', 't_11', 't_12']);
});
