import { expect, test } from 'vitest';
import { holesIn } from './template-holes.ts';

const holes = (text: string) => holesIn(text).map(({ from, to }) => text.slice(from, to));
const words = (text: string) =>
  holesIn(text).flatMap(({ tokens }) =>
    tokens.map(({ kind, from, to }) => `${kind} ${text.slice(from, to)}`),
  );

test('the expressions of a text are found, those with objects in them too', () => {
  expect(holes('a {{ b }} c {{ { d: { e: 1 } } }}!')).toEqual(['{{ b }}', '{{ { d: { e: 1 } } }}']);
  expect(holes('{{ "}}" }} x')).toEqual(['{{ "}}" }}']);
});

test('what is written for a literal {{ is none, and an open one reaches to the end', () => {
  expect(holes('\\{{ a }}')).toEqual([]);
  expect(holes('a {{ b.')).toEqual(['{{ b.']);
});

test('words are told apart', () => {
  expect(words('{{ upper(input.name) + "x" + 1.5 }}')).toEqual([
    'brace {{',
    'call upper',
    'name input',
    'name name',
    'text "x"',
    'number 1.5',
    'brace }}',
  ]);
});
