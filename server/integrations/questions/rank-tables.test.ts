import { expect, test } from 'vitest';
import type { DataTable } from '#engine';
import { rankTables } from './rank-tables.ts';

const table = (name: string, columns: readonly string[], links: DataTable['links'] = []): DataTable => ({
  parts: [name],
  columns: columns.map((column) => ({ name: column, type: 'text', key: column === 'id' })),
  links,
});

const shop = [
  table('customers', ['id', 'name', 'cityName']),
  table('products', ['id', 'title', 'price']),
  table('orders', ['id', 'customer_id', 'placed_at'], [{ column: 'customer_id', to: 'customers.id' }]),
  table(
    'order_items',
    ['order_id', 'product_id', 'quantity'],
    [
      { column: 'order_id', to: 'orders.id' },
      { column: 'product_id', to: 'products.id' },
    ],
  ),
  table('categories', ['id', 'label']),
];
const thousand = [
  ...Array.from({ length: 500 }, (_, i) => table(`archive_${i}`, ['id', 'name', 'created_at'])),
  ...shop,
  ...Array.from({ length: 500 }, (_, i) => table(`staging_order_${i}`, ['id', 'payload', 'created_at'])),
];
const names = (question: string, most = 6): string[] =>
  rankTables(thousand, question, most).map(({ parts }) => parts.join('.'));

test.each([
  ['Which customers live in Paris?', ['customers']],
  ['In which city does Ada live?', ['customers']],
  ['How many orders were placed last month?', ['orders']],
  ['What is the price of each product?', ['products']],
  ['How often did each customer buy each product?', ['customers', 'products']],
  ['List the categories', ['categories']],
  ['Which category has most labels?', ['categories']],
])('among a thousand tables, %s is found for %j', (question, expected) => {
  expect(names(question)).toEqual(expect.arrayContaining(expected));
  expect(names(question).length).toBeLessThanOrEqual(6);
});

test('a table leads to its parent tables', () => {
  expect(names('How many order items are there?')).toEqual(
    expect.arrayContaining(['order_items', 'orders', 'products']),
  );
});

test('without a common word, the most referenced tables are returned', () => {
  expect(names('Wie viele Kunden?', 3).toSorted()).toEqual(['customers', 'orders', 'products']);
});

test('all tables of a small database are returned', () => {
  expect(rankTables(shop, 'x', 12)).toHaveLength(5);
});
