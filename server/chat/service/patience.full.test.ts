import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { WeftError } from '#engine';
import type { ChatItem } from '#shared/chat-item.ts';
import { handleError } from '../../access/http/error-handler.ts';
import chatRoutes from '../../api/routes/chat.ts';
import { type ChatSource, KEY, startChatBed } from './testing/chat-bed.ts';
import { chunksOf, contentOf, finishOf } from './testing/read-stream.ts';

/** The chat routes of a server, with times short enough for a test. */
async function startQuickly(source: ChatSource) {
  const { ctx } = await startChatBed(source);
  const app = fastify();
  app.setErrorHandler(handleError);
  await app.register((scope) => chatRoutes(scope, ctx, { pingMs: 100, idleMs: 2000, totalMs: 20_000 }));
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const body = { model: 'test/model', messages: 'Hi', chat_mode: 'chat_normal' };
  return (more: object = {}) =>
    fetch(`http://127.0.0.1:${port}/api/v2/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...body, ...more }),
    });
}

const text = (said: string): ChatItem => ({ type: 'text', text: said });

function refuse(): never[] {
  throw new WeftError('model_unavailable', 'It is down.');
}

test('a model that thinks for long is awaited, with heartbeats', async () => {
  const chat = await startQuickly({
    async *model() {
      await pause(900);
      yield text('At last.');
    },
  });
  const all = await (await chat()).text();
  expect(all.split(': ping\n\n').length).toBeGreaterThan(4);
  expect(contentOf(chunksOf(all))).toBe('At last.');
});

test('its later failure is reported in the stream', async () => {
  const chat = await startQuickly({
    async *model() {
      await pause(300);
      yield* refuse();
    },
  });
  const answer = await chat();
  expect(answer.status).toBe(200);
  expect(chunksOf(await answer.text())).toMatchObject([
    { choices: [{ delta: {}, finish_reason: 'stop' }], error: { code: 'model_unavailable' } },
  ]);
});

test('a stream between two tokens is kept alive', async () => {
  const chat = await startQuickly({
    async *model() {
      yield text('a');
      await pause(400);
      yield text('b');
    },
  });
  const all = await (await chat()).text();
  expect(all.split(': ping\n\n').length).toBeGreaterThan(2);
  expect(contentOf(chunksOf(all))).toBe('ab');
});

test('a stream that is silent for too long ends with an error', async () => {
  const chat = await startQuickly({
    async *model(_call, signal) {
      yield text('a');
      await pause(10_000, undefined, { signal });
    },
  });
  const chunks = chunksOf(await (await chat()).text());
  expect(contentOf(chunks)).toBe('a');
  expect(chunks.at(-1)?.error?.code).toBe('run_timeout');
});

test('agents at work without output yet do not count as silent', async () => {
  const plan = (status: 'running' | 'waiting' | 'complete'): ChatItem => ({
    type: 'plan',
    plan: { name: 'p', num: 1, status, agent: 'a', messages: [] },
  });
  const chat = await startQuickly({
    async *flow() {
      for (let i = 0; i < 5; i++) {
        yield plan(i % 2 === 0 ? 'running' : 'waiting');
        await pause(600);
      }
      yield plan('complete');
    },
  });
  const chunks = chunksOf(await (await chat({ chat_mode: 'chat_flow', chat_param: 'said' })).text());
  expect(contentOf(chunks)).toContain('"complete"');
  expect(finishOf(chunks)).toBe('stop');
});
