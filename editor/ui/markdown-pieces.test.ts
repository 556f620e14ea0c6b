import { expect, test } from 'vitest';
import { fc } from '../../tests/support/property.ts';
import { markdownPieces, MOST_READ } from './markdown-pieces.ts';

const paragraph = `${'Some words of an answer. '.repeat(20)}\n\n`;

test('a short text is one piece', () => {
  expect(markdownPieces('# A\n\ntext')).toEqual([{ text: '# A\n\ntext', isPlain: false }]);
});

test('a long text is split between its paragraphs, and what is there stays as it was when it grows', () => {
  const before = markdownPieces(paragraph.repeat(100));
  const after = markdownPieces(paragraph.repeat(101));
  expect(before.length).toBeGreaterThan(8);
  expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
});

test.each([
  ['code', `\`\`\`js\n${paragraph.repeat(30)}\`\`\`\n`],
  ['a list', `${`1. ${'word '.repeat(60)}\n\n`.repeat(40)}`],
  ['a quote', `${`> ${'word '.repeat(60)}\n\n`.repeat(40)}`],
  ['a text with definitions', `${paragraph.repeat(30)}[it]: https://example.com\n`],
])('%s is never split', (_what, text) => {
  expect(text.length).toBeGreaterThan(8_000);
  expect(markdownPieces(text)).toEqual([{ text, isPlain: false }]);
});

test('a block that is too long is plain', () => {
  expect(markdownPieces('![[]()'.repeat(80_000)).map(({ isPlain }) => isPlain)).toEqual([true]);
});

test('whatever the text, the pieces are the text, and none that is read is too long', () => {
  const part = fc.constantFrom(
    paragraph,
    '```\n',
    '~~~\n',
    '- a\n',
    '\n',
    '[x]: y\n',
    '> q\n',
    'x'.repeat(5000),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const text = parts.join('');
      const pieces = markdownPieces(text);
      expect(pieces.map((piece) => piece.text).join('')).toBe(text);
      expect(pieces.every((piece) => piece.isPlain || piece.text.length <= MOST_READ)).toBe(true);
    }),
  );
});
