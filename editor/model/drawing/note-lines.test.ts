import { expect, test } from 'vitest';
import { noteLines } from './note-lines.ts';

const shown = (markdown: string, most = 40) => noteLines(markdown, most).map(({ text }) => text);

test('a note loses the signs of Markdown, and headings are told', () => {
  expect(noteLines('# Orders\nwith **bold** and `code`', 40)).toEqual([
    { text: 'Orders', isHeading: true },
    { text: 'with bold and code', isHeading: false },
  ]);
  expect(shown('- one\n- *two*\n- [docs](https://example.com) and ~~old~~')).toEqual([
    '• one',
    '• two',
    '• docs and old',
  ]);
  expect(shown('2 * 3 * 4, a_b_c, # no heading')).toEqual(['2 * 3 * 4, a_b_c, # no heading']);
});

test('a long line is broken between words; a long word stays whole', () => {
  expect(shown('one two three four', 9)).toEqual(['one two', 'three', 'four']);
  expect(shown('x'.repeat(20), 9)).toEqual(['x'.repeat(20)]);
  expect(shown('a\n\nb')).toEqual(['a', '', 'b']);
});

test('a note is read as the canvas reads it', () => {
  expect(shown('a line\nthat goes on\\\nand one that ends')).toEqual([
    'a line that goes on',
    'and one that ends',
  ]);
  expect(shown('Title\n===\n\\*no list\\* &amp; __bold__')).toEqual(['Title', '*no list* & bold']);
  expect(shown('1. one\n2. two\n   - inner\n\n> said')).toEqual([
    '1. one',
    '2. two',
    '\u00a0'.repeat(6) + '• inner',
    '',
    'said',
  ]);
  expect(shown('- [x] done\n- [ ] open')).toEqual(['☑ done', '☐ open']);
  expect(shown('| a | b |\n|---|---|\n| 1 | **2** |')).toEqual(['a | b', '1 | 2']);
  expect(shown('```\nx = 1\n\n# y\n```\n\n---')).toEqual(['x = 1', '', '# y', '', '———']);
  expect(shown('[docs][d] ![plan](p.png)\n\n[d]: https://example.com')).toEqual(['docs [plan]']);
});
