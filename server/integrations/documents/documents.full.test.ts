import { afterAll, expect, test } from 'vitest';
import type { MarkupOptions } from '#engine';
import { eventually } from '../../../tests/support/eventually.ts';
import { createDocuments } from './documents.ts';

const documents = createDocuments();
const { signal } = new AbortController();
const plain: MarkupOptions = { format: 'plain', maxBytes: 50_000_000 };
const xml = { attributes: true, prefixes: 'keep', lists: [], maxBytes: 1000 } as const;

afterAll(() => documents.close());

async function* whole(content: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(content);
}

test('a page may have very many sibling elements', async () => {
  const { text } = await documents.html(whole('x<br>'.repeat(150_000)), plain, signal);
  expect(text.match(/x/g)).toHaveLength(150_000);
});

test('a page that takes too long is refused, and the next document is read', async () => {
  const hurried = createDocuments({ workMs: 1000 });
  const read = hurried.html(whole('<p>x</p>'.repeat(2_000_000)), plain, signal);
  await expect(read).rejects.toMatchObject({ code: 'document_too_large' });
  // On a busy machine the start of its process may take as long, too.
  await eventually(async () => expect(await hurried.xml(whole('<a>1</a>'), xml, signal)).toEqual({ a: '1' }));
  await hurried.close();
});
