import { onTestFinished, expect, test, vi } from 'vitest';
import { openPostgres } from '../../storage/database/postgres/open-postgres.ts';
import { newDatabase } from '../../storage/database/testing/postgres-server.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { createDocuments } from '../documents/documents.ts';
import { openKnowledge, type OpenKnowledge } from './open-knowledge.ts';

/** Several servers on one PostgreSQL load the documents of its spaces, each of them once. */

/** Long enough for a busy machine to renew it in time. */
const LEASE_MS = 1500;
const SECTIONS = 150;
const text = (name: string): Uint8Array =>
  new TextEncoder().encode(
    Array.from({ length: SECTIONS }, (_, n) => `# ${name} ${n}\n\n${name} says ${n}.`).join('\n\n'),
  );

/** Servers that share a database, with the texts that each server sent to its model. */
async function start(count: number, beforeEmbed: (server: number) => Promise<void> = async () => {}) {
  const url = await newDatabase();
  const asked: string[][] = Array.from({ length: count }, () => []);
  const problems: unknown[] = [];
  const servers: OpenKnowledge[] = [];
  for (const [at, texts] of asked.entries()) {
    const sql = await openPostgres(url, []);
    const documents = createDocuments();
    const server = await openKnowledge({
      data: await tempFolder(),
      database: sql,
      leaseMs: LEASE_MS,
      defaultModel: () => 'test/embed',
      findModel: (name) => name,
      warn: (error) => problems.push(error),
      services: () => ({
        documents,
        models: {
          chat: () => {
            throw new Error('not here');
          },
          async embed(call) {
            await beforeEmbed(at);
            texts.push(...call.texts);
            return {
              vectors: call.texts.map(({ length }) => [length, 1]),
              usage: { inputTokens: 0, outputTokens: 0 },
            };
          },
        },
      }),
    });
    servers.push(server);
    onTestFinished(async () => {
      await server.close();
      await documents.close();
      await sql.close();
    });
  }
  const [first] = servers as [OpenKnowledge];
  const { id: space } = await first.addSpace({ name: 'tea' });
  const ready = (expected: number) =>
    eventually(async () => {
      const { items } = await first.documents(space, { offset: 0, limit: 100 });
      expect(items.map(({ status }) => status)).toEqual(Array.from({ length: expected }, () => 'ready'));
      return items;
    });
  return { servers, first, space, asked, ready, problems };
}

test('a document that two servers load is embedded once', async () => {
  const { servers, space, asked, ready, problems } = await start(2);
  const given = { name: 'green.md', kind: 'file' as const, content: text('green') };
  await Promise.all(servers.map((server) => server.put(space, given)));
  await Promise.all(servers.map((server) => server.resume()));
  const [document] = await ready(1);
  expect(document).toMatchObject({ chunks: SECTIONS, embedded: SECTIONS });
  const texts = asked.flat();
  expect([texts.length, new Set(texts).size]).toEqual([SECTIONS, SECTIONS]);
  expect(problems).toEqual([]);
});

test('a server keeps a document for as long as it works on it', async () => {
  const { promise: free, resolve } = Promise.withResolvers<void>();
  const { first, servers, space, asked, ready } = await start(2, () => free);
  const claim = vi.spyOn(first.store, 'claim');
  await first.put(space, { name: 'green.md', kind: 'file', content: text('green') });
  await eventually(async () =>
    expect((await first.documents(space, { offset: 0, limit: 1 })).items[0]?.chunks).toBe(SECTIONS),
  );
  const [, second] = servers as [OpenKnowledge, OpenKnowledge];
  const [document] = (await first.documents(space, { offset: 0, limit: 1 })).items;
  const id = document?.id ?? '';
  // The other server tries to claim it three times in each lease, for two leases.
  const renewals = claim.mock.calls.length + 6;
  const refused: boolean[] = [];
  await eventually(async () => {
    refused.push(await second.store.claim(id, 'second', 1));
    expect(claim.mock.calls.length).toBeGreaterThanOrEqual(renewals);
  });
  expect(new Set(refused)).toEqual(new Set([false]));
  expect(await second.store.unfinished()).toEqual([]);
  resolve();
  await ready(1);
  expect(asked.map(({ length }) => length)).toEqual([SECTIONS, 0]);
});

test('the documents of a dead server are taken over by one other server by itself', async () => {
  const { servers, first, space, asked, ready } = await start(3);
  // The dead server has claimed documents and no longer renews its claims.
  for (const name of ['green', 'black', 'white']) {
    const made = await first.keep(space, { name, kind: 'file', content: text(name) });
    expect(await first.store.claim(made.id, 'dead', 2 * LEASE_MS)).toBe(true);
  }
  expect(await first.store.unfinished()).toEqual([]);
  await Promise.all(servers.map((server) => server.resume()));
  await ready(3);
  const texts = asked.flat();
  expect([texts.length, new Set(texts).size]).toEqual([3 * SECTIONS, 3 * SECTIONS]);
});

test('a flow that loads a document waits for the server that has claimed it', async () => {
  const { promise: free, resolve } = Promise.withResolvers<void>();
  const { servers, space, asked } = await start(2, () => free);
  const [first, second] = servers as [OpenKnowledge, OpenKnowledge];
  const content = new TextDecoder().decode(text('green'));
  await first.put(space, { name: 'green', kind: 'text', content: text('green') });
  await eventually(async () => expect(await second.store.unfinished()).toEqual([]));
  const by = { flow: 't', version: '', run: 't', node: 't', operator: 'knowledge.load' };
  const done = second.load(
    { space: 'tea', name: 'green', content, metadata: {} },
    by,
    new AbortController().signal,
  );
  resolve();
  expect(await done).toMatchObject({ status: 'ready', embedded: SECTIONS });
  expect(new Set(asked.flat()).size).toBe(asked.flat().length);
});
