import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { ChatItem } from '#shared/chat-item.ts';
import { type ChatBed, otherCaller, sayAll, startChatBed } from './testing/chat-bed.ts';
import { chunksOf, contentOf, eventsOf } from './testing/read-stream.ts';
import { PATIENCE_MS } from '../../../tests/support/eventually.ts';

const asked = { model: 'test/model', messages: 'Hi' };
const keep = (seconds: number) => ({ headers: { 'x-weft-resume': String(seconds) } });

/** Opens a stream, reads `count` of its events and drops the connection. */
async function readSome(bed: ChatBed, count: number, seconds = 30) {
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const answer = await bed.chat(asked, { ...keep(seconds), signal: leave.signal });
  const run = answer.headers.get('x-weft-run') as string;
  const reader = answer.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  let text = '';
  while (text.split('\n\n').length <= count) {
    const { done, value } = await reader.read();
    if (done) break;
    text += Buffer.from(value).toString();
  }
  leave.abort();
  return { run, events: eventsOf(text).slice(0, count) };
}

function resume(bed: ChatBed, run: string, after: string | undefined, headers: Record<string, string> = {}) {
  return bed.call(`/api/v2/chat/completions/${run}`, {
    headers: { ...(after !== undefined && { 'last-event-id': after }), ...headers },
  });
}

const words = ['One', ' two', ' 🚀', ' "four"\n', 'five'];

test('a stream that was cut after any event resumes to the same text', async () => {
  const bed = await startChatBed({
    async *model() {
      for await (const item of sayAll(words)) {
        yield item;
        await pause(2);
      }
    },
  });
  const whole = chunksOf(await (await bed.chat(asked)).text());
  // One chunk for each word, the end, and [DONE].
  for (let cut = 0; cut <= words.length + 2; cut++) {
    const { run, events } = await readSome(bed, cut);
    const rest = await (await resume(bed, run, events.at(-1)?.id)).text();
    const all = [...events, ...eventsOf(rest)];
    expect(all.map(({ id }) => id)).toEqual(all.map((_, at) => `${run}:${at + 1}`));
    const text = all.map(({ id, data }) => `id: ${id}\ndata: ${data}\n\n`).join('');
    expect(contentOf(chunksOf(text))).toBe(contentOf(whole));
  }
});

test('the run waits for its client, and is cancelled when that does not return', async () => {
  const stopped = Promise.withResolvers<void>();
  const bed = await startChatBed({
    async *model(_call, signal): AsyncGenerator<ChatItem> {
      try {
        for (;;) {
          yield { type: 'text', text: 'x' };
          await pause(20, undefined, { signal });
        }
      } finally {
        stopped.resolve();
      }
    },
  });
  const { run } = await readSome(bed, 2, 3);
  await pause(300);
  expect(await bed.ctx.runs.get(run)).toMatchObject({ status: 'running' });
  await stopped.promise;
  await expect
    .poll(async () => (await bed.ctx.runs.get(run))?.status, { timeout: PATIENCE_MS })
    .toBe('cancelled');
  expect((await resume(bed, run, `${run}:2`)).status).toBe(404);
});

test('a stream is kept for its owner for the requested time, and its answer states that time', async () => {
  const bed = await startChatBed();
  const answer = await bed.chat(asked, keep(3));
  expect(answer.headers.get('x-weft-resume')).toBe('3');
  const run = answer.headers.get('x-weft-run') as string;
  await answer.text();
  expect((await resume(bed, run, undefined, otherCaller)).status).toBe(404);
  const again = await resume(bed, run, undefined);
  expect(again.headers.get('x-weft-run')).toBe(run);
  expect(contentOf(chunksOf(await again.text()))).toBe('Hello there');
  await pause(4000);
  expect((await resume(bed, run, undefined)).status).toBe(404);
});

test.each([
  ['a wait that is no number', { 'x-weft-resume': 'long' }],
  ['a wait of more than a minute', { 'x-weft-resume': '61' }],
  ['no wait', { 'x-weft-resume': '0' }],
])('%s is refused', async (_, headers) => {
  const bed = await startChatBed();
  expect((await bed.chat(asked, { headers })).status).toBe(400);
});

test.each([
  ['an event of another stream', 'other:1'],
  ['an event that was not sent yet', '99'],
  ['no event', 'x'],
])('resuming after %s is refused', async (_, after) => {
  const bed = await startChatBed();
  const { run } = await readSome(bed, 1);
  const answer = await resume(bed, run, after);
  expect([answer.status, ((await answer.json()) as { err_code: string }).err_code]).toEqual([
    400,
    'invalid_request',
  ]);
});

test('a stream with too many dropped events reports a gap', async () => {
  const large = Array.from({ length: 40 }, () => 'x'.repeat(20_000));
  const bed = await startChatBed({ model: () => sayAll(large) });
  const answer = await bed.chat(asked, keep(30));
  const run = answer.headers.get('x-weft-run') as string;
  await answer.text();
  const gone = await resume(bed, run, `${run}:1`);
  expect([gone.status, ((await gone.json()) as { err_code: string }).err_code]).toEqual([409, 'stream_gap']);
  expect((await resume(bed, run, `${run}:38`)).status).toBe(200);
});

test('a stream is not kept unless requested', async () => {
  const bed = await startChatBed();
  const answer = await bed.chat(asked);
  await answer.text();
  expect((await resume(bed, answer.headers.get('x-weft-run') as string, undefined)).status).toBe(404);
});
