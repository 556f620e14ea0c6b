import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ChatItem } from '#shared/chat-item.ts';
import { handleError } from '../../access/http/error-handler.ts';
import chatRoutes from '../../api/routes/chat.ts';
import { type Bed, signIn, tempFolder } from '../../testing/platform-bed.ts';
import { startChatBed } from './testing/chat-bed.ts';
import { chunksOf } from './testing/read-stream.ts';
import { PATIENCE_MS } from '../../../tests/support/eventually.ts';

type Headers = Readonly<Record<string, string>>;

const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });

/** The conversations that a caller sees. */
async function conversations({ url }: Pick<Bed, 'url'>, headers: Headers): Promise<string[]> {
  const answer = await fetch(`${url}/api/v1/chat/conversations`, { headers });
  const { data } = (await answer.json()) as { data: { conversations: { id: string }[] } };
  return data.conversations.map(({ id }) => id);
}

function say({ url }: Pick<Bed, 'url'>, headers: Headers, more: object = {}): Promise<Response> {
  return fetch(`${url}/api/v2/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'test/model', messages: 'Hi', conv_uid: 'c', ...more }),
  });
}

async function* endless(_call: unknown, signal: AbortSignal): AsyncGenerator<ChatItem> {
  for (;;) {
    yield { type: 'text', text: 'x' };
    await pause(20, undefined, { signal });
  }
}

/** The chat routes with a heartbeat short enough for a test, and a key for them. */
async function startWatching() {
  const { ctx } = await startChatBed({ model: endless });
  const app = fastify();
  app.setErrorHandler(handleError);
  await app.register((scope) => chatRoutes(scope, ctx, { pingMs: 50, idleMs: 5000, totalMs: 20_000 }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const made = await ctx.keys.create({ name: 'short', scopes: ['chat'] });
  return { ctx, url: `http://127.0.0.1:${port}`, made };
}

describe('a conversation belongs to one key', () => {
  test('and not to a later one of the same name', async () => {
    const bed = await startChatBed();
    const old = await bed.ctx.keys.create({ name: 'desk', scopes: ['chat'] });
    await (await say(bed, bearer(old.key))).text();
    expect(await conversations(bed, bearer(old.key))).toEqual(['c']);
    await bed.ctx.keys.revoke('desk');
    const next = await bed.ctx.keys.create({ name: 'desk', scopes: ['chat'] });
    expect(await conversations(bed, bearer(next.key))).toEqual([]);
  });

  test('and not to the one that takes its place in WEFT_API_KEYS', async () => {
    const data = await tempFolder();
    const before = await startChatBed({}, { data, apiKeys: ['key-of-ada', 'key-of-bob'] });
    await (await say(before, bearer('key-of-ada'))).text();
    await before.stop();
    const after = await startChatBed({}, { data, apiKeys: ['key-of-bob', 'key-of-ada'] });
    expect(await conversations(after, bearer('key-of-bob'))).toEqual([]);
    expect(await conversations(after, bearer('key-of-ada'))).toEqual(['c']);
  });
});

test('the browser finds its conversations after it has signed in again', async () => {
  const bed = await startChatBed();
  await (await say(bed, await signIn(bed))).text();
  const again = await signIn({ ...bed, token: bed.ctx.access.issueStartToken() });
  expect(await conversations(bed, again)).toEqual(['c']);
});

test.each([true, false])(
  'a key that is revoked ends the answer in progress (streamed: %s)',
  async (stream) => {
    const bed = await startWatching();
    const answer = say(bed, bearer(bed.made.key), { stream });
    await expect.poll(() => bed.ctx.runs.stats().inFlight, { timeout: PATIENCE_MS }).toBe(1);
    await bed.ctx.keys.revoke('short');
    const text = await (await answer).text();
    if (stream) expect(chunksOf(text).at(-1)?.error).toMatchObject({ code: 'run_cancelled' });
    else expect(JSON.parse(text)).toMatchObject({ err_code: 'run_cancelled' });
    // The caller is told first.
    await expect
      .poll(() => bed.ctx.runs.stats(), { timeout: PATIENCE_MS })
      .toMatchObject({ inFlight: 0, cancelled: 1 });
  },
);
