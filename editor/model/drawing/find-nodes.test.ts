import { expect, test } from 'vitest';
import type { Doc } from '../document/document.ts';
import { findNodes } from './find-nodes.ts';

const doc: Doc = {
  flow: {
    format: 1,
    id: 'f',
    nodes: {
      fetch: {
        operator: 'http.request',
        name: 'Get the order',
        params: { url: 'https://shop.example/orders', tries: 3 },
      },
      order: { operator: 'text.template', params: { lines: ['Dear {{ input.customer }}', 'bye'] } },
    },
    edges: [],
  },
  layout: { format: 1, nodes: {}, notes: [{ id: 'n', x: 0, y: 0, text: 'Ask Ada\nabout the orders' }] },
};
const find = (query: string) =>
  findNodes(doc, { operators: {} }, query).map(({ id, where }) => `${id} ${where}`);

test('names come before ids, and both before what is written in nodes', () => {
  expect(find('order')).toEqual(['fetch name', 'order id', 'n note']);
});

test('texts deep in the params are found with their path', () => {
  expect(find('customer')).toEqual(['order params.lines[0]']);
  expect(find('shop.example')).toEqual(['fetch params.url']);
  expect(find('3')).toEqual(['fetch params.tries']);
});

test('operators are found by their type', () => {
  expect(find('TEMPLATE')).toEqual(['order name']);
  expect(find('http.request')).toEqual(['fetch operator']);
});

test('what is shown around a hit is short', () => {
  const [found] = findNodes(doc, { operators: {} }, 'ada');
  expect(found).toMatchObject({ title: 'Ask Ada', excerpt: 'Ask Ada about the orders' });
});

test('an empty search finds nothing', () => {
  expect(find('  ')).toEqual([]);
});
