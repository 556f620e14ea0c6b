import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { corpus, originalFlow, type ShortFlow } from '../server/flows/awel/testing/original-flow.ts';
import { listenOpenAi, sendChunks } from '../server/integrations/models/testing/openai-server.ts';
import { ask, call, type Owner, signIn } from './support/client.ts';
import { discard, startServer, type TestServer } from './support/server.ts';

/**
 * Flows of the original that ask a model, imported into a real server. What they answer is what the original's source says
 * (`_trigger_dag`, CommonStreamingOutputOperator, ConversationComposerOperator, BaseHOLLMOperator).
 */
let server: TestServer;
let owner: Owner;
let provider: Awaited<ReturnType<typeof listenOpenAi>>;

/** What the model says, in pieces. */
const pieces = ['Hel', 'lo', '\nyou'];
const whole = pieces.join('');
const metrics = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };

beforeAll(async () => {
  provider = await listenOpenAi((response) =>
    sendChunks(
      response,
      pieces.map((content) => ({ content })),
      'stop',
    ),
  );
  const stand = { type: 'openai-compatible', baseUrl: provider.url, models: [{ name: 'm' }] };
  server = await startServer({
    env: { WEFT_PROVIDERS: JSON.stringify({ stand }), WEFT_OUTBOUND_ALLOW: '127.0.0.1' },
  });
  owner = await signIn(server);
});
afterAll(async () => {
  await discard(server);
  provider.close();
});

/** Puts a flow of the original live, its trigger open as it is there; gives its id here. */
async function deploy(flow: object): Promise<string> {
  const answer = await ask(`${server.url}/api/v2/serve/awel/flows?open_triggers=true`, {
    method: 'POST',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...flow, state: 'deployed' }),
  });
  expect(answer.status, answer.text).toBe(200);
  const { data } = answer.body as { data: { uid: string; import: { problems: unknown[] } } };
  expect(data.import.problems).toEqual([]);
  return data.uid;
}

function post(path: string, body: object) {
  return call(server, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...llmBody, ...body }),
  });
}

function chat(body: object) {
  return ask(`${server.url}/api/v2/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...llmBody, stream: false, ...body }),
  });
}

const llmBody = { model: 'stand/m', messages: 'Hi', incremental: true, chat_mode: 'chat_normal' };

const lastAsked = () => provider.asked.at(-1)?.body['messages'];

const trigger = (path: string) => ({ name: 'common_llm_http_trigger', values: { endpoint: path } });

function flow(short: ShortFlow, uid: string): object {
  return originalFlow({ ...short, more: { uid } });
}

/** Each event holds all of the text so far; the last one may come twice. */
const cumulative = 'data:Hel\n\ndata:Hello\n\ndata:Hello\nyou\n\n';
const rawEvents = (text: string): string => [...new Set(text.split(/(?<=\n\n)/))].join('');

describe('a branch on the stream flag', () => {
  const nodes = (path: string) => ({
    t: trigger(path),
    r: { name: 'request_builder_operator' },
    b: { name: 'llm_branch_operator', outputs: ['s', 'n'] },
    s: { name: 'streaming_llm_operator' },
    n: { name: 'llm_operator' },
    e: { name: 'common_streaming_output_operator' },
    c: { name: 'model_output_2_common_response_body_operator' },
  });
  const edges = ['t.0 > r.0', 'r.0 > b.0', 'b.0 > s.0', 'b.1 > n.0', 's.0 > e.0', 'n.0 > c.0'];

  beforeAll(async () => {
    await deploy(flow({ nodes: nodes('/plain'), edges }, 'plain'));
    const joined = { ...nodes('/joined'), j: { name: 'string_branch_join_operator', inputs: ['s', 'n'] } };
    await deploy(flow({ nodes: joined, edges: [...edges, 'e.0 > j.0', 'c.0 > j.1'] }, 'joined'));
  });

  test.each(['/plain', '/joined'])('%s: the events that the original yields', async (path) => {
    const answer = await post(path, { stream: true });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    expect(rawEvents(answer.text)).toBe(cumulative);
  });

  test.each(['/plain', '/joined'])('%s: the common body for stream false, and without it', async (path) => {
    for (const body of [{ stream: false }, {}, { stream: null }]) {
      const answer = await post(path, body);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.body).toMatchObject({ text: whole, error_code: 0 });
      expect(Object.keys(answer.body as object)).toEqual(['text', 'error_code', 'metrics']);
    }
  });

  it('tells the tokens as metrics', async () => {
    expect((await post('/plain', { stream: false })).body).toEqual({ text: whole, error_code: 0, metrics });
  });

  it('answers chats, too', async () => {
    const answer = await chat({ chat_mode: 'chat_flow', chat_param: 'plain', stream: false });
    expect(answer.body).toMatchObject({ choices: [{ message: { content: whole } }] });
    const streamed = await chat({ chat_mode: 'chat_flow', chat_param: 'plain', stream: true });
    const said = [...streamed.text.matchAll(/^data: (\{.*)$/gm)].map(
      ([, json = '']) =>
        (JSON.parse(json) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? '',
    );
    expect(said.join('')).toBe(whole);
  });
});

describe('streams', () => {
  it('of the common output without a branch are raw events, or the common body', async () => {
    await deploy(
      flow(
        {
          nodes: {
            t: trigger('/stream'),
            r: { name: 'request_builder_operator' },
            s: { name: 'streaming_llm_operator' },
            e: { name: 'common_streaming_output_operator' },
          },
          edges: ['t.0 > r.0', 'r.0 > s.0', 's.0 > e.0'],
        },
        'stream',
      ),
    );
    expect(rawEvents((await post('/stream', { stream: true })).text)).toBe(cumulative);
    expect((await post('/stream', { stream: false })).body).toEqual({ text: whole, error_code: 0, metrics });
  });

  it('of a model that nothing turns into events are its words', async () => {
    await deploy(
      flow(
        {
          nodes: {
            t: {
              ...trigger('/model-stream'),
              values: { endpoint: '/model-stream', streaming_response: true },
            },
            r: { name: 'request_builder_operator' },
            s: { name: 'streaming_llm_operator' },
          },
          edges: ['t.0 > r.0', 'r.0 > s.0'],
        },
        'model-stream',
      ),
    );
    const answer = await post('/model-stream', { stream: true });
    expect([answer.status, answer.text]).toEqual([200, pieces.map((text) => `data:${text}\n\n`).join('')]);
  });

  it('that a trigger always gives go out untouched', async () => {
    await deploy(
      flow(
        {
          nodes: {
            t: { name: 'dict_http_trigger', values: { endpoint: '/always', streaming_response: true } },
            s: { name: 'streaming_llm_operator' },
            e: { name: 'base_output_operator' },
          },
          edges: ['t.0 > s.0', 's.0 > e.0'],
        },
        'always',
      ),
    );
    const answer = await post('/always', {});
    expect([answer.headers.get('content-type'), answer.text]).toEqual([
      'text/event-stream; charset=utf-8',
      whole,
    ]);
  });

  it('of the bundled chat flow are OpenAI’s chunks, or a completion', async () => {
    const id = await deploy(corpus('simple_streaming_chat'));
    const streamed = await post(`/example/${id}`, { stream: true });
    expect(streamed.text).toMatch(/^data: \{.*chat\.completion\.chunk.*\ndata: \[DONE\]\n\n$/s);
    expect((await post(`/example/${id}`, { stream: false })).body).toMatchObject({
      object: 'chat.completion',
      model: 'stand/m',
      choices: [{ message: { role: 'assistant', content: whole } }],
      usage: metrics,
    });
  });
});

describe('a conversation composer', () => {
  const composed = (path: string, uid: string, values: object = {}) =>
    flow(
      {
        nodes: {
          t: trigger(path),
          c: {
            name: 'conversation_composer_operator',
            values: { ...values },
            resources: ['prompt_template'],
          },
          p: {
            name: 'common_chat_prompt_template',
            isResource: true,
            values: { system_message: 'You are {role}.', human_message: 'Q: {user_input}' },
          },
          n: { name: 'llm_operator' },
          o: { name: 'model_output_2_common_response_body_operator' },
        },
        edges: ['t.0 > c.0', `p.0 > c.${Object.keys(values).length}`, 'c.0 > n.0', 'n.0 > o.0'],
      },
      uid,
    );
  const system = { role: 'system', content: 'You are Ada.' };
  const extra = { role: 'Ada' };

  it('remembers by conv_uid behind its trigger, and fills in the prompt from extra', async () => {
    await deploy(composed('/composer', 'composer'));
    await post('/composer', { conv_uid: 'c1', messages: 'one', extra });
    expect(lastAsked()).toEqual([system, { role: 'user', content: 'Q: one' }]);
    await post('/composer', { conv_uid: 'c1', messages: 'two', extra });
    expect(lastAsked()).toEqual([
      system,
      { role: 'user', content: 'one' },
      { role: 'assistant', content: whole },
      { role: 'user', content: 'Q: two' },
    ]);
    await post('/composer', { conv_uid: 'c2', messages: 'three', extra });
    expect(lastAsked()).toEqual([system, { role: 'user', content: 'Q: three' }]);
    await post('/composer', { messages: 'four', extra });
    expect(lastAsked()).toEqual([system, { role: 'user', content: 'Q: four' }]);
  });

  it('keeps the rounds that it is set to', async () => {
    await deploy(composed('/rounds', 'rounds', { keep_start_rounds: 1, keep_end_rounds: 1 }));
    for (const messages of ['one', 'two', 'three', 'four'])
      await post('/rounds', { conv_uid: 'c', messages, extra });
    expect(lastAsked()).toEqual([
      system,
      { role: 'user', content: 'one' },
      { role: 'assistant', content: whole },
      { role: 'user', content: 'three' },
      { role: 'assistant', content: whole },
      { role: 'user', content: 'Q: four' },
    ]);
  });
});

describe('higher-order operators', () => {
  /** A context comes as the original's retrievers give it. */
  const ho = (name: string, path: string) => ({
    nodes: {
      t: { ...trigger(path), outputs: ['request_body', 'request_string_messages'] },
      c: {
        name: 'default_code_map_operator',
        values: {
          lang: 'javascript',
          code: "function fn_map(text) { return { context_key: 'facts', context: 'known of ' + text }; }",
        },
      },
      d: {
        name: 'default_code_map_operator',
        values: {
          lang: 'javascript',
          code: "function fn_map(text) { return { context_key: 'more', context: 'more' }; }",
        },
      },
      h: {
        name,
        values: { history_merge_mode: 'window' },
        resources: ['prompt_template'],
        inputs: ['a', 'b'],
      },
      p: {
        name: 'common_chat_prompt_template',
        isResource: true,
        values: { system_message: 'Facts: {facts}, {more}', human_message: '{user_input}' },
      },
    },
    edges: ['t.0 > h.0', 't.1 > c.0', 't.1 > d.0', 'd.0 > h.1', 'c.0 > h.2', 'p.0 > h.1'],
  });

  it('keep their ports: contexts by name, the second output of the trigger, and what was said', async () => {
    const { nodes, edges } = ho('higher_order_streaming_llm_operator', '/ho');
    const all = { ...nodes, o: { name: 'openai_streaming_output_operator' } };
    await deploy(flow({ nodes: all, edges: [...edges, 'h.0 > o.0'] }, 'ho'));
    const answer = await post('/ho', { conv_uid: 'h', messages: 'one', stream: true });
    expect(answer.text).toContain('[DONE]');
    const system = (of: string) => ({ role: 'system', content: `Facts: known of ${of}, more` });
    expect(lastAsked()).toEqual([system('one'), { role: 'user', content: 'one' }]);
    await post('/ho', { conv_uid: 'h', messages: 'two', stream: true });
    expect(lastAsked()).toEqual([
      system('two'),
      { role: 'user', content: 'one' },
      { role: 'assistant', content: whole },
      { role: 'user', content: 'two' },
    ]);
  });

  it('without a prompt take the original’s own', async () => {
    const nodes = {
      t: trigger('/bare'),
      h: { name: 'higher_order_llm_operator' },
      o: { name: 'model_output_2_common_response_body_operator' },
    };
    await deploy(flow({ nodes, edges: ['t.0 > h.0', 'h.0 > o.0'] }, 'bare'));
    expect((await post('/bare', { stream: false })).body).toEqual({ text: whole, error_code: 0, metrics });
    expect(lastAsked()).toEqual([
      { role: 'system', content: 'You are a helpful AI assistant.' },
      { role: 'user', content: 'Hi' },
    ]);
  });
});

describe('the id that a flow had in the original', () => {
  const uid = '360d1e42-7a29-494b-8724-da2e91a4ec81';
  beforeAll(async () => {
    const nodes = {
      t: trigger('/uuid'),
      n: { name: 'llm_operator' },
      o: { name: 'model_output_2_common_response_body_operator' },
    };
    await deploy({ ...flow({ nodes, edges: ['t.0 > n.0', 'n.0 > o.0'] }, uid), name: 'by_uuid' });
  });
  const said = { choices: [{ message: { content: whole } }] };

  it('names it in chats: as chat_param, and as a model', async () => {
    expect((await chat({ chat_mode: 'chat_flow', chat_param: uid })).body).toMatchObject(said);
    const asked = { model: `flow:${uid}`, messages: [{ role: 'user', content: 'Hi' }], chat_mode: undefined };
    expect((await chat(asked)).status).toBe(200);
  });

  test.each([{ uid }, { dag_id: `flow_dag_by_uuid_${uid}`, uid, name: 'by_uuid' }, uid])(
    'names it as the team of an app: %j',
    async (team_context) => {
      const made = await ask(`${server.url}/api/v2/serve/apps`, {
        method: 'POST',
        headers: { ...owner.headers, 'content-type': 'application/json' },
        body: JSON.stringify({
          app_name: `app ${JSON.stringify(team_context)}`.slice(0, 60),
          app_describe: '',
          language: 'en',
          team_mode: 'awel_layout',
          team_context,
          details: [],
        }),
      });
      const { app_code } = (made.body as { data: { app_code: string } }).data;
      const answer = await chat({ chat_mode: 'chat_app', chat_param: app_code, enable_vis: false });
      expect(answer.body).toMatchObject(said);
    },
  );
});

it('fields outside the request model are dropped, and those of a dict stay', async () => {
  const echo = (path: string, name: string) =>
    flow(
      {
        nodes: {
          t: { name, values: { endpoint: path } },
          o: { name: 'request_body_to_dict_operator' },
        },
        edges: ['t.0 > o.0'],
      },
      path.slice(1),
    );
  await deploy(echo('/model', 'common_llm_http_trigger'));
  await deploy(echo('/dict', 'dict_http_trigger'));
  expect((await post('/model', { zzz: 1 })).body).not.toHaveProperty('zzz');
  expect((await post('/dict', { zzz: 1 })).body).toHaveProperty('zzz');
});
