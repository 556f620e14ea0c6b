import { produce } from 'immer';
import { expect, test } from 'vitest';
import type { OperatorInfo } from '#shared/catalog.ts';
import { catalog as known } from '../testing/catalog.ts';
import type { Doc } from './document.ts';
import { type Dropped, swapOperator } from './swap.ts';

const withParams = (type: string, properties: Record<string, unknown>): OperatorInfo => ({
  ...(known.operators['text.template'] as OperatorInfo),
  type,
  params: { type: 'object', properties },
});
const catalog = {
  operators: {
    ...known.operators,
    'a.one': withParams('a.one', {
      text: { type: 'string' },
      size: { type: 'integer' },
      mode: { type: 'string' },
    }),
    'a.two': withParams('a.two', { text: { type: 'string' }, size: { type: 'string' } }),
  },
};

const doc: Doc = {
  flow: {
    format: 1,
    id: 'a',
    nodes: {
      start: { operator: 'trigger.http' },
      it: {
        operator: 'a.one',
        name: 'It',
        params: { text: 'x', size: 3, mode: 'm' },
        retry: { attempts: 2, backoffMs: 1, factor: 1, jitter: 0 },
      },
      end: { operator: 'text.template' },
    },
    edges: [
      { from: 'start.out', to: 'it.in' },
      { from: 'it.out', to: 'end.in' },
    ],
  },
  layout: { format: 1, nodes: {} },
};

function swap(to: string): { doc: Doc; dropped: Dropped | undefined } {
  let dropped: Dropped | undefined;
  const next = produce(doc, (draft) => {
    dropped = swapOperator(draft, catalog, 'it', catalog.operators[to as 'a.two']);
  });
  return { doc: next, dropped };
}

test('settings of the same name whose value fits are kept, as are name, retries and wires; the rest is told', () => {
  const { doc: next, dropped } = swap('a.two');
  expect(next.flow.nodes['it']).toMatchObject({
    operator: 'a.two',
    name: 'It',
    params: { text: 'x' },
    retry: { attempts: 2 },
  });
  expect(next.flow.edges).toEqual(doc.flow.edges);
  expect(dropped).toEqual({ settings: ['size', 'mode'], edges: [] });
});

test('a wire without a port for it is left out and told', () => {
  const { doc: next, dropped } = swap('core.log');
  expect(next.flow.edges).toEqual([{ from: 'start.out', to: 'it.in' }]);
  expect(dropped?.edges).toEqual([{ from: 'it.out', to: 'end.in' }]);
});

test('a wire goes to the first port that takes it if there is none of its name', () => {
  const { doc: next } = swap('logic.switch');
  expect(next.flow.edges).toContainEqual({ from: 'it.default', to: 'end.in' });
});
