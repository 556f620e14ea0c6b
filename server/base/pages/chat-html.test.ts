import { expect, test } from 'vitest';
import { chatHtml } from './chat-html.ts';
import { MOST_MARKDOWN } from './markdown.ts';

const page = (contents: readonly string[]): string =>
  chatHtml({
    name: 'A',
    greeting: '',
    address: '/talk/a',
    conversation: 'c',
    messages: contents.map((content) => ({ role: 'assistant', content })),
    files: '/f/',
    takesFiles: false,
  });

test('the newest answers of a long conversation are read as Markdown, and all others are shown unchanged', () => {
  const answer = '*a* '.repeat(MOST_MARKDOWN / 8);
  const html = page(Array.from({ length: 100 }, () => answer));
  expect(html.match(/<em>a<\/em>/g)).toHaveLength(MOST_MARKDOWN / 4);
  expect(html.match(/<pre>(?:\*a\* )+<\/pre>/g)).toHaveLength(98);
  expect(html.lastIndexOf('<pre>')).toBeLessThan(html.indexOf('<em>'));
});
