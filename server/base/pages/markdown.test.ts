import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { markdownHtml, MOST_MARKDOWN } from './markdown.ts';

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
  ['[x](JavaScript:alert)', '<p>[x](JavaScript:alert)</p>'],
  ['[a\\]b](https://c.d)', '<p><a href="https://c.d" rel="noopener noreferrer">a]b</a></p>'],
  ['\\[x](https://c.d)', '<p>[x](<a href="https://c.d" rel="noopener noreferrer">https://c.d</a>)</p>'],
  ['\\*a\\* c:\\d', '<p>*a* c:\\d</p>'],
  ['# A\n## B\n- c\n\n# D', '<h2>A</h2><h2>B</h2><ul><li>c</li></ul>\n<h2>D</h2>'],
  ['text\n```\n# a\n\n*b*\n```\nmore', '<p>text</p>\n<pre># a\n\n*b*</pre>\n<p>more</p>'],
  ['```\nnot closed', '<pre>not closed</pre>'],
  ['***', '<hr>'],
  ['a\n\n---\n\nb', '<p>a</p>\n<hr>\n<p>b</p>'],
  [
    'Points:\n- a\n  - b\n  - c\n- d',
    '<p>Points:</p>\n<ul><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ul>',
  ],
  ['1. a\n   - b\n2. c', '<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>'],
  ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
  ['- [ ] a\n- [x] b', '<ul><li>☐ a</li><li>☑ b</li></ul>'],
  ['> a\n> **b**\n\nc', '<blockquote><p>a<br>\n<strong>b</strong></p></blockquote>\n<p>c</p>'],
  ['> > a', '<blockquote><p>&gt; a</p></blockquote>'],
  [
    'T\n| a | b |\n|---|--:|\n| 1 \\| 2 | <b> |\n| 3 |\nend',
    '<p>T</p>\n<div class="table" role="region" aria-label="Table" tabindex="0"><table><thead><tr><th>a</th><th class="right">b</th></tr></thead><tbody><tr><td>1 | 2</td><td class="right">&lt;b&gt;</td></tr><tr><td>3</td></tr></tbody></table></div>\n<p>end</p>',
  ],
  ['a | b\nno table', '<p>a | b<br>\nno table</p>'],
  ['**a `b` c**', '<p><strong>a <code>b</code> c</strong></p>'],
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
    '  - ',
    '3. ',
    '> ',
    '|',
    '|-|-:|\n',
    '---',
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
        /^<(?:\/?(?:p|h2|ul|ol|li|pre|code|strong|em|blockquote|table|thead|tbody|tr|t[hd]|div)|br|hr|ol start="\d+"|t[hd] class="right"|div class="table" role="region" aria-label="Table" tabindex="0"|\/a|a href="(?:https?:\/\/|mailto:)[^"<>]*" rel="noopener noreferrer")>$/;
      expect(tags.filter((tag) => !known.test(tag))).toEqual([]);
      expect(html.replaceAll(/<[^>]*>/g, '')).not.toMatch(/[<>]/);
    }),
    { numRuns: 500 },
  );
});

test('many headings are as many headings', () => {
  const count = 20_000;
  expect(markdownHtml('# a\n'.repeat(count))).toBe('<h2>a</h2>'.repeat(count));
});

test('the beginning of a long text is read, and the rest is shown unchanged', () => {
  expect(markdownHtml('*a* *b*<', undefined, 4)).toBe('<p><em>a</em> </p>\n<pre>*b*&lt;</pre>');
  expect(markdownHtml(`${'*a* '.repeat(MOST_MARKDOWN)}`).match(/<em>/g)).toHaveLength(MOST_MARKDOWN / 4);
});
