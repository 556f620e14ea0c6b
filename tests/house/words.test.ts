import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SCREENS, writtenCatalogue } from '../../server/admin/editor-build/words/catalogue.ts';
import { root } from '../support/server.ts';

type Catalogue = Readonly<Record<string, readonly string[]>>;

/** That of the server is held by `npm run check`, as the pages of the reference are. */
const screens = JSON.parse(readFileSync(join(root, SCREENS), 'utf8')) as Catalogue;

test('Are all texts of screens in their catalogue? If not: npm run docs, and read what changed in editor/words', () => {
  expect(JSON.parse(writtenCatalogue(root, SCREENS))).toEqual(screens);
});

/** What plain English on screens has not. */
const UNWANTED: readonly (readonly [what: string, RegExp])[] = [
  ['a request that begs', /\bplease\b/i],
  ['a Latin abbreviation', /\b(e\.g\.|i\.e\.|etc\b|viz\.|cf\.)/i],
  ['three dots for an ellipsis', /\.\.\.(?!\w)/],
  ['a straight apostrophe', /\p{L}'\p{L}/u],
  ['an exclamation', /[\p{L}\p{N}]!(\s|$)/u],
];

test.each(UNWANTED)('Has no text of the editor %s?', (_what, pattern) => {
  const found = Object.entries(screens).flatMap(([file, texts]) =>
    texts.filter((text) => pattern.test(text)).map((text) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});
