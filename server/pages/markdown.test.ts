import { fc } from '../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { markdownHtml } from './markdown.ts';

test.each([
  ['a\nb\n\nc', '<p>a<br>\nb</p>\n<p>c</p>'],
  ['# Title\ntext', '<h2>Title</h2><p>text</p>'],
  ['- one\n- **two**', '<ul><li>one</li><li><strong>two</strong></li></ul>'],
  ['1. one\n2) two', '<ol><li>one</li><li>two</li></ol>'],
  ['```js\na < b\n```', '<pre>a &lt; b</pre>'],
  ['`*a*` *b* 2 * 3 * 4', '<p><code>*a*</code> <em>b</em> 2 * 3 * 4</p>'],
  [
    '[it](https://a.org/?b=1&c)',
    '<p><a href="https://a.org/?b=1&amp;c" rel="noopener noreferrer">it</a></p>',
  ],
  [
    'see https://a.org/x, please',
    '<p>see <a href="https://a.org/x" rel="noopener noreferrer">https://a.org/x</a>, please</p>',
  ],
  ['[x](javascript:alert)', '<p>[x](javascript:alert)</p>'],
  ['<script>1</script>', '<p>&lt;script&gt;1&lt;/script&gt;</p>'],
])('%j', (text, html) => expect(markdownHtml(text)).toBe(html));

test('whatever the text, nothing but the few tags comes out, and no address of another kind', () => {
  const piece = fc.constantFrom(
    '<',
    '>',
    '"',
    "'",
    '&',
    '[',
    ']',
    '(',
    ')',
    '*',
    '**',
    '`',
    '\n',
    '- ',
    '# ',
    'a',
    ' ',
    'javascript:',
    'https://b.c/',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const html = markdownHtml(pieces.join(''));
      const tags = html.match(/<[^>]*>/g) ?? [];
      const known =
        /^<(?:\/?(?:p|h2|ul|ol|li|pre|code|strong|em)|br|\/a|a href="(?:https?:\/\/|mailto:)[^"<>]*" rel="noopener noreferrer")>$/;
      expect(tags.filter((tag) => !known.test(tag))).toEqual([]);
      expect(html.replaceAll(/<[^>]*>/g, '')).not.toMatch(/[<>]/);
    }),
    { numRuns: 500 },
  );
});
