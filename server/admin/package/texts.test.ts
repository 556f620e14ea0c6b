import { expect, test } from 'vitest';
import { linkedPage } from './texts.ts';

const has = (path: string): boolean =>
  ['docs/files.md', 'docs/examples/weft-sample', 'server/index.js'].includes(path.replace(/\/$/, ''));

test.each([
  ['a page beside it', '[files](files.md#folders)', '[files](files.md#folders)'],
  ['a folder', '[a package](examples/weft-sample)', '[a package](examples/weft-sample)'],
  ['an address elsewhere', '[x](https://example.com/a)', '[x](https://example.com/a)'],
  ['a heading of the page', '[x](#here)', '[x](#here)'],
  ['an address of the server', '[r.csv](/api/v1/files/1)', '[r.csv](/api/v1/files/1)'],
  ['a module, whose emitted file is there', '[start](../server/index.ts)', '[start](../server/index.js)'],
  ['a file that is not there', 'see [the `list`](../tests/list.ts#a) and go', 'see the `list` and go'],
  ['code that looks like a link', 'the pattern `[a](?:b|c)`, [x](gone.md)', 'the pattern `[a](?:b|c)`, x'],
  ['a block of code', '```\n[a](gone.md)\n```', '```\n[a](gone.md)\n```'],
  ['two on a line', '[a](gone.md), [b](files.md)', 'a, [b](files.md)'],
])('%s', (_, text, shown) => expect(linkedPage('docs/page.md', text, has)).toBe(shown));
