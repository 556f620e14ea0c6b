import { expect, test } from 'vitest';
import { noteLines } from './note-lines.ts';

const shown = (markdown: string, most = 40) => noteLines(markdown, most).map(({ text }) => text);

test('a note loses the signs of Markdown, and headings are told', () => {
  expect(noteLines('# Orders\nwith **bold** and `code`', 40)).toEqual([
    { text: 'Orders', isHeading: true },
    { text: 'with bold and code', isHeading: false },
  ]);
  expect(shown('- one\n* *two*\n[docs](https://example.com) and ~~old~~')).toEqual([
    '• one',
    '• two',
    'docs and old',
  ]);
  expect(shown('2 * 3 * 4, a_b_c, # no heading')).toEqual(['2 * 3 * 4, a_b_c, # no heading']);
});

test('a long line is broken between words; a long word stays whole', () => {
  expect(shown('one two three four', 9)).toEqual(['one two', 'three', 'four']);
  expect(shown('x'.repeat(20), 9)).toEqual(['x'.repeat(20)]);
  expect(shown('a\n\nb')).toEqual(['a', '', 'b']);
});
