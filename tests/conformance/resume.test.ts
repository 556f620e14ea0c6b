import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  chunksOf,
  contentOf,
  eventsOf,
  type StreamEvent,
} from '../../server/chat/service/testing/read-stream.ts';
import { readBlocks } from '../../server/chat/service/testing/read-blocks.ts';
import { oneAgent } from './support/app-bodies.ts';
import { words } from './support/provider.ts';
import { startWorld, type World } from './support/world.ts';

/** Answers of agents on their way from a provider to a client: cut and gone on with, and piece by piece. */
let world: World;
let app: string;
beforeAll(async () => {
  world = await startWorld();
  app = await world.makeApp(oneAgent('Clerk', 'real/drops'));
});
afterAll(() => world.close());

const COMPLETIONS = '/api/v2/chat/completions';

function ask(
  headers: Record<string, string> = {},
  signal?: AbortSignal,
  of: string = app,
): Promise<Response> {
  const body = { model: 'x', messages: 'Go', chat_mode: 'chat_app', chat_param: of };
  return fetch(`${world.server.url}${COMPLETIONS}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

/** Opens a stream, reads `count` events and drops the connection; gives the id of its run, too. */
async function readSome(count: number): Promise<{ run: string; events: StreamEvent[] }> {
  const leave = new AbortController();
  const answer = await ask({ 'x-weft-resume': '30' }, leave.signal);
  const reader = answer.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  let text = '';
  while (eventsOf(text).length < count) {
    const { done, value } = await reader.read();
    if (done) break;
    text += Buffer.from(value).toString();
  }
  leave.abort();
  return { run: answer.headers.get('x-weft-run') as string, events: eventsOf(text).slice(0, count) };
}

async function goOn(run: string, after: StreamEvent | undefined): Promise<StreamEvent[]> {
  const answer = await fetch(`${world.server.url}${COMPLETIONS}/${run}`, {
    headers: {
      authorization: `Bearer ${world.key}`,
      ...(after?.id !== undefined && { 'last-event-id': after.id }),
    },
  });
  expect(answer.status).toBe(200);
  return eventsOf(await answer.text());
}

test('a stream that is cut behind any of its chunks goes on to the same text', async () => {
  const whole = chunksOf(await (await ask()).text());
  const text = contentOf(whole);
  expect(readBlocks(text).slice(0, 1)).toMatchObject([
    { records: [{ sender: 'Clerk', markdown: words.join('') }] },
  ]);
  for (let cut = 0; cut <= whole.length + 1; cut++) {
    const { run, events } = await readSome(cut);
    const all = [...events, ...(await goOn(run, events.at(-1)))];
    expect(all.map(({ id }) => id)).toEqual(all.map((_, at) => `${run}:${at + 1}`));
    const written = all.map(({ id, data }) => `id: ${id}\ndata: ${data}\n\n`).join('');
    expect(contentOf(chunksOf(written))).toBe(text);
  }
});

test('the first piece of an answer is held back by nothing', async () => {
  const held = await world.makeApp(oneAgent('Teller', 'real/held'));
  const answer = await ask({}, undefined, held);
  const reader = answer.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  let text = '';
  const readOn = async (): Promise<boolean> => {
    const { done, value } = await reader.read();
    text += Buffer.from(value ?? []).toString();
    return !done;
  };
  // The provider says the rest only once the client has the first piece. How fast it comes is a line of `npm run bench`.
  while (!text.includes(words[0])) expect(await readOn()).toBe(true);
  expect(text).not.toContain(words[1].trim());
  world.provider.letGo();
  while (await readOn());
  expect(readBlocks(contentOf(chunksOf(text))).slice(0, 1)).toMatchObject([
    { records: [{ markdown: words.join('') }] },
  ]);
});
