import { afterEach, expect, it } from 'vitest';
import { type Evaluate, value } from './testing/fake-runs.ts';
import { liveFlow } from './testing/live-flow.ts';
import { serveTriggers, type TriggerServer } from './testing/trigger-server.ts';

let server: TriggerServer;
afterEach(() => server.close());

const request = { type: 'object', properties: { conv_uid: { type: 'string' }, messages: {} } };

async function serve(evaluate: Evaluate, params: object = {}): Promise<TriggerServer> {
  const base = { path: '/f', auth: 'none', methods: ['POST'], request, memory: 'conv_uid' };
  server = await serveTriggers([liveFlow('f', { ...base, ...params })], evaluate);
  return server;
}

async function say(messages: unknown, conv_uid?: string, init: RequestInit = {}): Promise<string> {
  const headers = { 'content-type': 'application/json', ...(init.headers as object) };
  const body = JSON.stringify({ conv_uid, messages, stream: true });
  return (await server.call('/f', { method: 'POST', body, headers })).text;
}

const historyOf = (at: number): unknown =>
  (server.runs.started[at]?.output as { history?: unknown } | undefined)?.history;

async function* stream(...items: unknown[]): AsyncGenerator<unknown> {
  yield* items;
}

const round = (question: string, answer: string) => [
  { role: 'user', content: question },
  { role: 'assistant', content: answer },
];

it('the messages of a conversation come with its next request, and with no other', async () => {
  await serve(() => value({ text: 'Hello', error_code: 0, metrics: {} }));
  await say('Hi', 'a');
  await say('You?', 'a');
  await say(['x', 'Yes'], 'b');
  await say('No');
  await say([{ role: 'user', content: 'b?' }], 'b');
  expect([0, 1, 2, 3, 4].map(historyOf)).toEqual([
    [],
    round('Hi', 'Hello'),
    [],
    undefined,
    round('Yes', 'Hello'),
  ]);
});

it('a streamed answer is remembered when it has ended, and sent as it is', async () => {
  const bodies = [
    { text: 'Hel', error_code: 0, incremental: false },
    { text: 'Hello', error_code: 0, incremental: false },
  ];
  await serve(() => value(stream(...bodies)), { response: { as: 'request', stream: 'raw-sse' } });
  expect(await say('Hi', 'a')).toBe('data:Hel\n\ndata:Hello\n\n');
  await say('You?', 'a');
  expect(historyOf(1)).toEqual(round('Hi', 'Hello'));
});

it('an answer that fails is not remembered', async () => {
  await serve(() => value(stream({ text: 'no model', error_code: 1 }), 200, {}), {
    response: { as: 'ndjson' },
  });
  await say('Hi', 'a');
  await say('You?', 'a');
  expect(historyOf(1)).toEqual([]);
});

it('callers with keys have conversations of their own', async () => {
  await serve(() => value('Hello'));
  await say('Hi', 'a', { headers: { authorization: 'Bearer good' } });
  await say('Hi', 'a');
  await say('You?', 'a', { headers: { authorization: 'Bearer good' } });
  expect([1, 2].map(historyOf)).toEqual([[], round('Hi', 'Hello')]);
});

it('fields that the schema does not name are dropped if the trigger asks for it', async () => {
  await serve((run) => value(run.output), { otherFields: 'drop', memory: undefined });
  expect(JSON.parse(await say('Hi', 'a'))).toEqual({ conv_uid: 'a', messages: 'Hi' });
});
