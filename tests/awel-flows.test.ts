import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { corpus, originalFlow, type ShortFlow } from '../server/flows/awel/testing/original-flow.ts';
import { ask, call, type Owner, signIn } from './support/client.ts';
import { discard, startServer, type TestServer } from './support/server.ts';

/** Flows of the original, imported into a real server, do what they did there. */
let server: TestServer;
let owner: Owner;

beforeAll(async () => {
  server = await startServer();
  owner = await signIn(server);
});
afterAll(() => discard(server));

/** Puts a flow of the original live, its trigger open as it is there. */
async function deploy(flow: object): Promise<string> {
  const answer = await ask(`${server.url}/api/v2/serve/awel/flows?open_triggers=true`, {
    method: 'POST',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...flow, state: 'deployed' }),
  });
  expect(answer.status, answer.text).toBe(200);
  return (answer.body as { data: { uid: string } }).data.uid;
}

function post(path: string, body: unknown) {
  return call(server, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** All 13 fields, nulls included, as the original's client sends them. */
const llmBody = {
  model: 'demo/echo',
  messages: 'Hello there',
  stream: true,
  temperature: null,
  max_new_tokens: null,
  conv_uid: null,
  span_id: null,
  chat_mode: 'chat_normal',
  chat_param: null,
  user_name: null,
  sys_code: null,
  incremental: true,
  enable_vis: true,
};

/** From a trigger through operators that turn a value into another, one after the other. */
function chain(
  path: string,
  steps: readonly [name: string, values?: object][],
  trigger = 'dict_http_trigger',
) {
  const names = steps.map(([name, values = {}], i) => [`n${i}`, { name, values }] as const);
  const nodes = { t: { name: trigger, values: { endpoint: path } }, ...Object.fromEntries(names) };
  const ids = Object.keys(nodes);
  const edges = ids.slice(1).map((id, i) => `${ids[i]}.0 > ${id}.0`);
  return originalFlow({ nodes, edges, more: { uid: `f${path.replaceAll('/', '_')}` } } as ShortFlow);
}

describe('values go through an imported chain as through the original’s', () => {
  const chains: [string, ReturnType<typeof chain>, unknown, unknown][] = [
    [
      '/hello',
      chain('/hello', [['example_http_hello_operator']]),
      { name: 'Ada', age: 1 },
      { server_res: 'Hello, Ada, your age is 1', request_body: { name: 'Ada', age: 1 } },
    ],
    [
      '/nested',
      chain('/nested', [['request_body_to_dict_operator', { prefix_key: 'a.b c' }]]),
      { a: { 'b c': { x: 1 } } },
      { x: 1 },
    ],
    [
      '/words',
      chain(
        '/words',
        [['request_body_to_str__parsed_operator', { key: 'messages' }]],
        'common_llm_http_trigger',
      ),
      llmBody,
      'Hello there',
    ],
    [
      '/field',
      chain(
        '/field',
        [['user_input_parsed_operator', { key: 'user_input' }], ['prompt_builder_operator']],
        'common_llm_http_trigger',
      ),
      llmBody,
      { messages: [{ role: 'user', content: 'Hello there' }] },
    ],
    [
      '/bool',
      chain('/bool', [
        ['request_body_to_str__parsed_operator', { key: 'a' }],
        ['default_converter_string_to_boolean', { true_values: 'true,"y}}' }],
      ]),
      { a: '"Y}}' },
      true,
    ],
    [
      '/int',
      chain('/int', [
        ['request_body_to_str__parsed_operator', { key: 'a' }],
        ['default_converter_string_to_integer'],
      ]),
      { a: '42' },
      42,
    ],
    [
      '/chunks',
      chain('/chunks', [
        ['request_body_to_dict_operator', { prefix_key: 'chunks' }],
        ['chunks_to_string_operator', { separator: ' | ' }],
      ]),
      { chunks: [{ content: 'a' }, 'b'] },
      'a | b',
    ],
    [
      '/code',
      chain('/code', [
        [
          'default_code_map_operator',
          { lang: 'javascript', code: 'function fn_map(a) { return { n: a.n + 1 }; }' },
        ],
      ]),
      { n: 1 },
      { n: 2 },
    ],
  ];
  test.each(chains)('%s', async (path, flow, body, expected) => {
    await deploy(flow);
    const answer = await post(path, body);
    expect([answer.status, answer.body]).toEqual([200, expected]);
  });
});

it('a join of the original gets its inputs in their order', async () => {
  await deploy(
    originalFlow({
      nodes: {
        t: { name: 'dict_http_trigger', values: { endpoint: '/join' } },
        z: { name: 'request_body_to_str__parsed_operator', values: { key: 'first' } },
        a: { name: 'request_body_to_str__parsed_operator', values: { key: 'second' } },
        j: { name: 'string_join_operator', values: { separator: '{{-}}' } },
        m: {
          name: 'merge_string_to_dict_operator',
          values: { first_key: 'x', second_key: 'y' },
          inputs: ['first', 'second'],
        },
      },
      edges: ['t.0 > z.0', 't.0 > a.0', 'a.0 > j.1', 'z.0 > j.0', 'j.0 > m.0', 'a.0 > m.1'],
      more: { uid: 'joined' },
    }),
  );
  expect((await post('/join', { first: '1', second: '2' })).body).toEqual({ x: '1{{-}}2', y: '2' });
});

it('a bundled chat flow streams over its trigger as the original’s did', async () => {
  const flow = corpus('simple_streaming_chat');
  const id = await deploy(flow);
  const answer = await post(`/example/${id}`, llmBody);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const events = answer.text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice(6));
  expect(events.at(-1)).toBe('[DONE]');
  const chunks = events
    .slice(0, -1)
    .map((event) => JSON.parse(event) as { choices: { delta: { content?: string } }[] });
  expect(chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join('')).toBe('Hello there');
});

it('a branch on the stream flag, with history and prompts, answers whole and in pieces', async () => {
  await deploy(
    originalFlow({
      nodes: {
        t: { name: 'common_llm_http_trigger', values: { endpoint: '/branch' } },
        c: { name: 'conversation_composer_operator', resources: ['prompt_template'] },
        p: {
          name: 'common_chat_prompt_template',
          isResource: true,
          values: { system_message: 'Be {{brief}}.', human_message: 'Say: {user_input}' },
        },
        b: { name: 'llm_branch_operator', outputs: ['s', 'n'] },
        s: { name: 'streaming_llm_operator' },
        n: { name: 'llm_operator' },
        r: { name: 'model_output_2_common_response_body_operator' },
        o: { name: 'base_output_operator' },
      },
      edges: ['t.0 > c.0', 'p.0 > c.0', 'c.0 > b.0', 'b.0 > s.0', 'b.1 > n.0', 'n.0 > r.0', 's.0 > o.0'],
      more: { uid: 'branched' },
    }),
  );
  const whole = await post('/branch', { ...llmBody, stream: false });
  expect([whole.status, whole.body]).toMatchObject([200, { text: 'Say: Hello there', error_code: 0 }]);
  const pieces = await post('/branch', llmBody);
  expect([pieces.status, pieces.text]).toEqual([200, 'Say: Hello there']);
});

it('an imported chat flow is chatted with, and answers at its path alike', async () => {
  const id = await deploy({ ...corpus('simple_streaming_chat'), uid: 'chatty', name: 'chatty' });
  const answer = await ask(`${server.url}/api/v2/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...llmBody, stream: false, chat_mode: 'chat_flow', chat_param: id }),
  });
  expect([answer.status, answer.body]).toMatchObject([
    200,
    { choices: [{ message: { role: 'assistant', content: 'Hello there' }, finish_reason: 'stop' }] },
  ]);
});
