import { expect, test } from 'vitest';
import { givenFile } from './import-files.ts';
import { products } from './products.ts';

const productOf = (path: string, text: string): string | undefined =>
  products.find(({ isOf }) => isOf(givenFile({ path, bytes: Buffer.from(text) })))?.name;

test.each([
  ['a.yml', 'app:\n  mode: workflow\nkind: app\nversion: 0.1.5\nworkflow:\n  graph: {}\n', 'Dify'],
  ['a.yml', 'app:\n  name: Old\n  mode: advanced-chat\nworkflow:\n  graph: {}\n', 'Dify'],
  ['a.yaml', "app:\n  mode: 'chat'\nmodel_config:\n  model: {}\n", 'Dify'],
  ['a.yml', 'app:\n  mode: production\nworkflow:\n  steps: []\n', undefined],
  ['a.yml', 'app:\n  mode: chat\nservices: {}\n', undefined],
  ['a.txt', 'app:\n  mode: chat\nmodel_config: {}\n', undefined],
])('%s %j is of %s', (path, text, product) => {
  expect(productOf(path, text)).toBe(product);
});
