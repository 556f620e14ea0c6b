import { produce } from 'immer';
import { expect, test } from 'vitest';
import { flowOf } from '../../engine/testing/play.ts';
import type { Doc } from '../model/document/document.ts';
import { sameFlow } from './saved-doc.ts';

const doc: Doc = {
  flow: flowOf({ a: 'core.input', b: { operator: 'core.map', params: { value: 1 } } }, ['a > b']),
  layout: { format: 1, nodes: {} },
};

test('what says the same in the file is the same, whatever objects say it', () => {
  expect(sameFlow(doc, structuredClone(doc))).toBe(true);
  const reordered = produce(doc, (draft) => {
    draft.flow.nodes['b'] = { params: { value: 1 }, operator: 'core.map' };
  });
  expect(sameFlow(doc, reordered)).toBe(true);
});

test.each([
  ['a setting', (flow: Doc['flow']) => Object.assign(flow.nodes['b'] ?? {}, { params: { value: 2 } })],
  ['a node that is gone', (flow: Doc['flow']) => delete flow.nodes['b']],
  ['a node more', (flow: Doc['flow']) => Object.assign(flow.nodes, { c: { operator: 'core.map' } })],
  ['an edge that is gone', (flow: Doc['flow']) => flow.edges.pop()],
  ['a name', (flow: Doc['flow']) => Object.assign(flow, { name: 'Other' })],
])('%s makes another flow, in both directions', (_, change) => {
  const other = produce(doc, (draft) => void change(draft.flow as Doc['flow']));
  expect([sameFlow(doc, other), sameFlow(other, doc)]).toEqual([false, false]);
});
