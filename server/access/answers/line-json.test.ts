import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { lineJson } from './line-json.ts';

test('line ends that JSON may hold as they are are escaped', () => {
  expect(lineJson({ 'a\u2028': 'b\u0085c\u2029\n' })).toBe(String.raw`{"a\u2028":"b\u0085c\u2029\n"}`);
});

test('any text is one line, and reads back as it was', () => {
  const character = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 1 }),
    fc.constantFrom('\u0085', '\u2028', '\u2029'),
  );
  fc.assert(
    fc.property(fc.array(character), (characters) => {
      const text = characters.join('');
      const json = lineJson(text);
      expect(json).not.toMatch(/[\n\r\u0085\u2028\u2029]/);
      expect(JSON.parse(json)).toBe(text);
    }),
  );
});
