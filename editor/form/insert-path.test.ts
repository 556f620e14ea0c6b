import { expect, test } from 'vitest';
import { builtIns } from '../../engine/testing/play.ts';
import { paramFields } from '../model/form/schema-form.ts';
import { takesPath, withPath } from './insert-path.ts';

const field = (type: string, name: string) => {
  const info = builtIns.catalog.operators[type];
  const found = info && paramFields(info).find((one) => one.name === name);
  if (!found) throw new Error(`${type} has no ${name}`);
  return found;
};
const dragged = { path: 'input[0].name', item: 'item.name' };

test('a text keeps what is written, everything else becomes the expression', () => {
  const url = field('http.request', 'url');
  expect(withPath(url, undefined, dragged)).toBe('{{ input[0].name }}');
  expect(withPath(url, 'https://a.example/', dragged)).toBe('https://a.example/{{ input[0].name }}');
  expect(withPath(url, 'https://a.example/?q=1', dragged, 18)).toBe(
    'https://a.example/{{ input[0].name }}?q=1',
  );
  expect(withPath(field('text.template', 'template'), 'Hello', dragged)).toBe('Hello {{ input[0].name }}');
  expect(withPath(field('http.request', 'headers'), { a: 'b' }, dragged)).toBe('{{ input[0].name }}');
  expect(withPath(field('http.request', 'body'), 'x', dragged)).toBe('{{ input[0].name }}');
});

test('a setting that is evaluated for each item reads the item', () => {
  expect(withPath(field('data.filter', 'condition'), 'old', dragged)).toBe('{{ item.name }}');
});

test('names of connections, statements and schemas take none', () => {
  expect(takesPath(field('sql.query', 'sql'))).toBe(false);
  expect(takesPath(field('sql.query', 'connection'))).toBe(false);
  expect(takesPath(field('http.request', 'url'))).toBe(true);
});
