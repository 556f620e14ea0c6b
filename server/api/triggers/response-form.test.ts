import { afterEach, describe, expect, it, test } from 'vitest';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import { type Evaluate, value } from './testing/fake-runs.ts';
import { liveFlow } from './testing/live-flow.ts';
import { serveTriggers, type TriggerServer } from './testing/trigger-server.ts';

let server: TriggerServer;
afterEach(() => server.close());

const open = (response: object, params: object = {}): LiveFlow =>
  liveFlow('f', { path: '/f', auth: 'none', methods: ['GET', 'POST'], response, ...params });

async function* stream(...items: unknown[]): AsyncGenerator<unknown> {
  yield* items;
}

async function ask(response: object, evaluate: Evaluate, body: unknown = {}, init: RequestInit = {}) {
  server = await serveTriggers([open(response)], evaluate);
  const headers = { 'content-type': 'application/json', ...(init.headers as object) };
  const answer = await server.call('/f', { method: 'POST', body: JSON.stringify(body), headers });
  return { status: answer.status, type: answer.headers.get('content-type'), text: answer.text };
}

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 7,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
});
const end = { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 2 }, model: 'm' };
const json = 'application/json; charset=utf-8';

describe('as: request', () => {
  const items = [{ type: 'text', text: 'Hel' }, { type: 'text', text: 'lo' }, end];

  it('sends a stream as events where the request asks for them', async () => {
    const answer = await ask({ as: 'request' }, () => value(stream({ a: 1 })), { stream: true });
    expect(answer).toEqual({
      status: 200,
      type: 'text/event-stream; charset=utf-8',
      text: 'data: {"a":1}\n\n',
    });
  });

  it('sends it in the form that `stream` names', async () => {
    const answer = await ask({ as: 'request', stream: 'ndjson' }, () => value(stream(1, 2)), {
      streaming: true,
    });
    expect([answer.type, answer.text]).toEqual(['application/x-ndjson; charset=utf-8', '1\n2\n']);
  });

  test.each([{ stream: false }, {}, { stream: 'yes' }])(
    'puts a model’s answer together for %j',
    async (body) => {
      const answer = await ask({ as: 'request' }, () => value(stream(...items)), body);
      expect([answer.type, JSON.parse(answer.text)]).toEqual([
        json,
        {
          text: 'Hello',
          error_code: 0,
          metrics: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
        },
      ]);
    },
  );

  it('makes a completion of OpenAI’s chunks, calls of tools included', async () => {
    const call = (index: number, id: string | undefined, name: string, text: string) => ({
      tool_calls: [{ index, ...(id && { id }), function: { name, arguments: text } }],
    });
    const chunks = [
      chunk({ role: 'assistant', content: 'Hi' }),
      chunk(call(0, 'a', 'add', '{"x"')),
      chunk(call(0, undefined, '', ':1}')),
      chunk({}, 'tool_calls'),
      '[DONE]',
    ];
    const answer = await ask({ as: 'request' }, () => value(stream(...chunks)));
    expect(JSON.parse(answer.text)).toEqual({
      id: 'c',
      object: 'chat.completion',
      created: 7,
      model: 'm',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Hi',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'add', arguments: '{"x":1}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 0, total_tokens: 0, completion_tokens: 0 },
    });
  });

  it('gives other streams as a list, and fails with what they fail with', async () => {
    expect((await ask({ as: 'request' }, () => value(stream({ a: 1 }, { a: 2 })))).text).toBe(
      '[{"a":1},{"a":2}]',
    );
    await server.close();
    expect((await ask({ as: 'request' }, () => value(stream()))).text).toBe('[]');
    await server.close();
    const broken = await ask({ as: 'request' }, () => value(stream({ text: 'no model', error_code: 1 })));
    expect(broken.text).toContain('answer_failed');
  });

  it('answers what is no stream as JSON in any case', async () => {
    const answer = await ask({ as: 'request' }, () => value({ text: 'Hi' }), { stream: true });
    expect([answer.type, answer.text]).toEqual([json, '{"text":"Hi"}']);
  });

  it('keeps to the same for a call with a key', async () => {
    const headers = { 'idempotency-key': 'k' };
    const answer = await ask({ as: 'request' }, () => value(stream('a')), { stream: true }, { headers });
    expect(answer.text).toBe('data: a\n\n');
  });
});

describe('events that the flow has written', () => {
  const written = ['data:Hel\n\n', Buffer.from('event: x\ndata: 1\n\n')];

  it('go out untouched as raw-sse, and of bodies their text', async () => {
    const answer = await ask({ as: 'raw-sse' }, () =>
      value(stream(...written, { text: 'a\nb\ufffd', error_code: 0 })),
    );
    expect(answer).toEqual({
      status: 200,
      type: 'text/event-stream; charset=utf-8',
      text: 'data:Hel\n\nevent: x\ndata: 1\n\ndata:a\nb\n\n',
    });
  });

  it.each(['text', 'bytes'])('go out untouched as %s with the content type of events', async (as) => {
    const headers = { 'content-type': 'text/event-stream' };
    const answer = await ask({ as, headers }, () => value(stream('data:Hel\n\n', 'data: x\n\n')));
    expect([answer.type, answer.text]).toEqual(['text/event-stream', 'data:Hel\n\ndata: x\n\n']);
  });

  it('end with an event that reports a failure', async () => {
    const failing = async function* () {
      yield 'data:Hel\n\n';
      throw new Error('x');
    };
    const answer = await ask({ as: 'raw-sse' }, () => value(failing()));
    expect(answer.text).toMatch(/^data:Hel\n\ndata:\[ERROR\]\(error_code: 1\): [^\n]+\n\n$/);
  });

  it('are refused where they are neither texts nor bytes', async () => {
    const answer = await ask({ as: 'raw-sse' }, () => value(stream({ a: 1 })));
    expect([answer.status, answer.text]).toEqual([500, expect.stringContaining('bad_response')]);
  });
});

describe('bytes', () => {
  const bytes = new Uint8Array([0, 255, 10]);

  async function raw(response: object, evaluate: Evaluate) {
    server = await serveTriggers([open(response)], evaluate);
    const answer = await fetch(`${server.url}/f`);
    const type = answer.headers.get('content-type');
    return { status: answer.status, type, bytes: new Uint8Array(await answer.arrayBuffer()), answer };
  }

  it('are a whole answer as bytes', async () => {
    const answer = await raw({ as: 'bytes' }, () => value(bytes));
    expect(answer).toMatchObject({ status: 200, type: 'application/octet-stream', bytes });
  });

  it('are one with a content type of the trigger', async () => {
    const headers = { 'content-type': 'image/png' };
    expect(await raw({ as: 'bytes', headers }, () => value(bytes))).toMatchObject({
      type: 'image/png',
      bytes,
    });
  });

  it('are those of a respond node, whatever the trigger’s setting', async () => {
    for (const as of ['json', 'text', 'request']) {
      const given = await raw({ as }, () => value(bytes, 201, {}));
      expect(given).toMatchObject({ status: 201, type: 'application/octet-stream', bytes });
      await server.close();
    }
    const page = await raw({ as: 'json' }, () => value(bytes, 200, { 'content-type': 'text/html' }));
    expect(page).toMatchObject({ type: 'text/html', bytes });
    expect(page.answer.headers.get('content-security-policy')).toContain('sandbox');
  });

  it('as JSON are an error that names the fix', async () => {
    const answer = await raw({ as: 'json' }, () => value(bytes));
    expect(answer.status).toBe(500);
    expect(new TextDecoder().decode(answer.bytes)).toContain('response.as');
  });
});
