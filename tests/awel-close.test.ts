import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { fits } from '../server/flows/awel/mappings/fit.ts';
import { originalFlow, type ShortFlow, type ShortNode } from '../server/flows/awel/testing/original-flow.ts';
import { chunk, listenOpenAi, sendChunks } from '../server/integrations/models/testing/openai-server.ts';
import { close as compared } from './awel-equal.cases.ts';
import { ask, call, type Owner, signIn } from './support/client.ts';
import { discard, startServer, type TestServer } from './support/server.ts';
import { startSite } from './support/site.ts';

/** What the import table calls close differs in what it says, and is held to that word for word. */
let server: TestServer;
let owner: Owner;
let provider: Awaited<ReturnType<typeof listenOpenAi>>;

const pieces = ['Hi', ' there'];
const whole = pieces.join('');

beforeAll(async () => {
  provider = await listenOpenAi((response, { body }) => {
    if (body.model === 'breaks') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.write(chunk({ choices: [{ index: 0, delta: { content: 'Hi' } }] }), () =>
        response.destroy(),
      );
    }
    if (body.model === 'json')
      return sendChunks(response, [{ content: '{"queries": ["tea time", "steeping"]}' }], 'stop');
    if (body.model !== 'fails')
      return sendChunks(
        response,
        pieces.map((content) => ({ content })),
        'stop',
      );
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: 'No.' } }));
  });
  const models = ['m', 'other', 'fails', 'breaks', 'json'].map((name) => ({ name }));
  const stand = { type: 'openai-compatible', baseUrl: provider.url, models };
  server = await startServer({
    env: { WEFT_PROVIDERS: JSON.stringify({ stand }), WEFT_OUTBOUND_ALLOW: '127.0.0.1' },
  });
  owner = await signIn(server);
});
afterAll(async () => {
  await discard(server);
  provider.close();
});

type Nodes = Readonly<Record<string, ShortNode>>;

/** Imports a flow, live where that is possible; what it has to say of that, and the params of its nodes. */
async function imported(uid: string, nodes: Nodes, edges: readonly string[], state = 'deployed') {
  const flow = originalFlow({ nodes, edges, more: { uid } } as ShortFlow);
  const answer = await ask(`${server.url}/api/v2/serve/awel/flows?open_triggers=true`, {
    method: 'POST',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...flow, state }),
  });
  expect(answer.status, answer.text).toBe(200);
  const { data } = answer.body as { data: { import: { problems: { message: string }[] } } };
  const made = await owner.data<{ flow: { nodes: Record<string, { params: object }> } }>(
    'GET',
    `/flows/${uid}`,
  );
  return { said: data.import.problems.map(({ message }) => message).join('\n'), flow: made.flow };
}

const json = { 'content-type': 'application/json' };
const llmBody = { model: 'stand/m', messages: 'Hi' };
const post = (path: string, body: unknown) =>
  call(server, path, { method: 'POST', headers: json, body: JSON.stringify(body) });
const lastBody = () =>
  provider.asked.at(-1)?.body as { model: string; messages: { role: string; content: string }[] };

const llm = (path: string): ShortNode => ({ name: 'common_llm_http_trigger', values: { endpoint: path } });
const dict = (path: string, values: object = {}): ShortNode => ({
  name: 'dict_http_trigger',
  values: { endpoint: path, ...values },
});
const op = (name: string, more: Partial<ShortNode> = {}): ShortNode => ({ name, ...more });
const field = (key: string) => op('request_body_to_str__parsed_operator', { values: { key } });
const prompt: ShortNode = {
  name: 'common_chat_prompt_template',
  isResource: true,
  values: { system_message: 'Be {mood}.', human_message: '{user_input}' },
};
const asRequest = {
  messages: [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Hi' },
  ],
};

/** A flow of these nodes behind a trigger for chats; gives what it answers to a body. */
async function behindLlm(uid: string, nodes: Nodes, edges: readonly string[]) {
  await imported(uid, { t: llm(`/${uid}`), ...nodes }, edges);
  return (body: object = {}) => post(`/${uid}`, { ...llmBody, ...body });
}

/** After twelve rounds of a conversation the model gets ten of them. */
async function keepsTenRounds(say: (body: object) => Promise<unknown>): Promise<void> {
  for (let n = 1; n <= 12; n++) await say({ conv_uid: 'c', messages: `${n}`, extra: { mood: 'kind' } });
  const said = lastBody().messages.filter(({ role }) => role !== 'system');
  expect(said).toHaveLength(21);
  expect([said[0]?.content, said.at(-1)?.content]).toEqual(['2', '12']);
}

/** History, and the prompt that has it. */
async function loadsHistory(name: string): Promise<void> {
  const nodes = {
    h: op(name),
    d: op('prompt_format_dict_builder_operator'),
    p: { ...prompt, values: { ...prompt.values, system_message: 'Be kind.' } },
    b: op('history_prompt_builder_operator', { resources: ['prompt'], inputs: ['history', 'values'] }),
    n: op('llm_operator'),
    o: op('model_output_2_common_response_body_operator'),
  };
  const edges = ['t.0 > h.0', 't.0 > d.0', 'h.0 > b.0', 'd.0 > b.1', 'p.0 > b.0', 'b.0 > n.0', 'n.0 > o.0'];
  await keepsTenRounds(await behindLlm(name, nodes, edges));
}

/** Both inputs of a join that has two; the second is a whole answer. */
async function joins(name: string): Promise<void> {
  const uid = name;
  const nodes = {
    t: dict(`/${uid}`, { streaming_response: true }),
    f: field('text'),
    j: op(name, { inputs: ['s', 'n'] }),
  };
  await imported(uid, nodes, ['t.0 > f.0', 'f.0 > j.1']);
  const answer = await post(`/${uid}`, { text: 'whole' });
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  expect(answer.text).toContain('whole');
}

const held: Readonly<Record<string, () => Promise<void>>> = {
  async agent_operator() {
    const { said, flow } = await imported(
      'agent_op',
      {
        t: op('agent_trigger'),
        a: op('agent_operator', { resources: ['awel_agent'] }),
        g: op('awel_agent', {
          isResource: true,
          values: { role_name: 'Ada' },
          resources: ['agent_resource'],
        }),
        r: op('some_tool', { isResource: true }),
      },
      ['t.0 > a.0', 'g.0 > a.0', 'r.0 > g.1'],
    );
    expect(said).toContain('some_tool of the agent was not imported');
    expect(flow.nodes['a']?.params).toEqual({ agent: { name: 'Ada', prompt: '' } });
  },
  async agent_trigger() {
    const { flow } = await imported('agent_t', { t: op('agent_trigger'), n: op('streaming_llm_operator') }, [
      't.0 > n.0',
    ]);
    expect(flow.nodes['t']).toMatchObject({ operator: 'trigger.chat' });
    const answer = await ask(`${server.url}/api/v2/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, ...json },
      body: JSON.stringify({ ...llmBody, stream: false, chat_mode: 'chat_flow', chat_param: 'agent_t' }),
    });
    expect(answer.body).toMatchObject({ choices: [{ message: { content: whole } }] });
  },
  async awel_dict_http_sender() {
    const seen: object[] = [];
    const site = await startSite(({ headers }, response) => {
      seen.push(headers);
      response.writeHead(201, json).end('{"made": true}');
    });
    const values = { address: site.url, methods: 'POST', cookies: '{"a": "b"}', status_code: 204 };
    const nodes = { t: dict('/sends'), h: op('awel_dict_http_sender', { values }) };
    const { said } = await imported('sends', nodes, ['t.0 > h.0']);
    expect(said).toContain('Its cookies were not imported');
    expect(said).toContain('every 2xx counts as a success');
    expect((await post('/sends', {})).body).toMatchObject({ body: { made: true }, status: 201, headers: {} });
    expect(seen[0]).not.toHaveProperty('cookie');
    const secret = {
      t: dict('/sends_token'),
      h: op('awel_dict_http_sender', { values: { address: site.url, token: 'sesame' } }),
    };
    const { flow } = await imported('sends_token', secret, ['t.0 > h.0'], 'developing');
    expect(JSON.stringify(flow)).not.toContain('sesame');
    expect(flow.nodes['h']?.params).toMatchObject({ auth: { secret: { $secret: 'sends_token_token' } } });
  },
  async base_output_operator() {
    const nodes = {
      t: dict('/base', { streaming_response: true }),
      s: op('streaming_llm_operator'),
      e: op('base_output_operator'),
    };
    await imported('base', nodes, ['t.0 > s.0', 's.0 > e.0']);
    // The model repeats the question at the beginning of its answer.
    expect((await post('/base', llmBody)).text).toBe(whole);
  },
  chat_history_load_operator: () => loadsHistory('chat_history_load_operator'),
  default_serve_pre_chat_history_load_operator: () =>
    loadsHistory('default_serve_pre_chat_history_load_operator'),
  async common_streaming_output_operator() {
    const nodes = { s: op('streaming_llm_operator'), e: op('common_streaming_output_operator') };
    const say = await behindLlm('common_out', nodes, ['t.0 > s.0', 's.0 > e.0']);
    expect((await say({ stream: true })).text).toContain(`data:${whole}\n\n`);
    const failed = await say({ stream: true, model: 'stand/fails' });
    expect([failed.status, failed.body]).toMatchObject([400, { err_code: 'model_bad_request' }]);
  },
  async conversation_composer_operator() {
    const nodes = {
      c: op('conversation_composer_operator', { resources: ['prompt_template'] }),
      p: prompt,
      n: op('llm_operator'),
      o: op('model_output_2_common_response_body_operator'),
    };
    // No storage is wired to it.
    await keepsTenRounds(
      await behindLlm('composer', nodes, ['t.0 > c.0', 'p.0 > c.0', 'c.0 > n.0', 'n.0 > o.0']),
    );
  },
  async default_code_map_operator() {
    const code = 'function fn_map(a) { return a.n + 1; }';
    const nodes = {
      t: dict('/js'),
      c: op('default_code_map_operator', { values: { lang: 'javascript', code } }),
    };
    await imported('js', nodes, ['t.0 > c.0']);
    expect((await post('/js', { n: 1 })).body).toBe(2);
    const python = op('default_code_map_operator', { values: { lang: 'python', code: 'def fn_map(a):' } });
    const { said, flow } = await imported('py', { ...nodes, t: dict('/py'), c: python }, ['t.0 > c.0']);
    expect(said).toContain('Its code is Python, which does not run here');
    expect(flow.nodes['c']?.params).toMatchObject({
      source: expect.stringMatching(/^\/\/ def fn_map/) as string,
    });
  },
  async default_converter_model_output_to_dict() {
    const nodes = { n: op('llm_operator'), d: op('default_converter_model_output_to_dict') };
    const { body } = await (await behindLlm('to_dict', nodes, ['t.0 > n.0', 'n.0 > d.0']))();
    expect(body).toMatchObject({ text: whole, usage: { outputTokens: expect.any(Number) as number } });
    expect(body).not.toHaveProperty('error_code');
  },
  async higher_order_llm_operator() {
    const values = { history_merge_mode: 'window', model: 'stand/other' };
    const nodes = {
      h: op('higher_order_llm_operator', { values }),
      o: op('model_output_2_common_response_body_operator'),
    };
    const say = await behindLlm('ho', nodes, ['t.0 > h.0', 'h.0 > o.0']);
    const answer = await say({ stream: true });
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.body).toMatchObject({ text: whole });
    expect(lastBody().model).toBe('other');
    await keepsTenRounds(say);
  },
  async higher_order_streaming_llm_operator() {
    const values = { history_merge_mode: 'window', model: 'stand/other' };
    const nodes = {
      h: op('higher_order_streaming_llm_operator', { values }),
      o: op('common_streaming_output_operator'),
    };
    const say = await behindLlm('ho_stream', nodes, ['t.0 > h.0', 'h.0 > o.0']);
    expect((await say({ stream: false })).body).toMatchObject({ text: whole, error_code: 0 });
    expect(lastBody().model).toBe('other');
    await keepsTenRounds(say);
  },
  async history_prompt_builder_operator() {
    const nodes = {
      t: dict('/history_form'),
      h: field('history'),
      p: prompt,
      b: op('history_prompt_builder_operator', { resources: ['prompt'], inputs: ['history', 'values'] }),
    };
    await imported('history_form', nodes, ['t.0 > h.0', 'h.0 > b.0', 't.0 > b.1', 'p.0 > b.0']);
    const history = [{ role: 'user', content: 'Before' }];
    const { body } = await post('/history_form', { user_input: 'Hi', mood: 'kind', history });
    expect(body).toEqual({ ...asRequest, history });
  },
  async http_trigger() {
    const nodes = {
      t: op('http_trigger', {
        values: { endpoint: '/own', methods: 'POST' },
        resources: ['http_trigger_body'],
      }),
      b: op('my_request_body', { isResource: true }),
      f: op('request_body_to_dict_operator'),
    };
    const { said } = await imported('own', nodes, ['b.0 > t.2', 't.0 > f.0']);
    expect(said).toContain('my_request_body is unknown here; write it as JSON Schema into `request`');
  },
  async knowledge_space_prompt_builder_operator() {
    const own = { ...prompt, values: { system_message: 'Be {context}.', human_message: '{user_input}' } };
    const nodes = {
      t: dict('/space'),
      u: field('user_input'),
      c: field('context'),
      h: field('history'),
      p: own,
      b: op('knowledge_space_prompt_builder_operator', {
        resources: ['prompt'],
        inputs: ['user_input', 'context', 'history'],
      }),
    };
    const edges = ['t.0 > u.0', 't.0 > c.0', 't.0 > h.0', 'u.0 > b.0', 'c.0 > b.1', 'h.0 > b.2', 'p.0 > b.0'];
    await imported('space', nodes, edges);
    const { body } = await post('/space', { user_input: 'Hi', context: 'kind', history: [] });
    expect(body).toEqual({ ...asRequest, history: [] });
  },
  llm_branch_join_operator: () => joins('llm_branch_join_operator'),
  string_branch_join_operator: () => joins('string_branch_join_operator'),
  async llm_operator() {
    const { body } = await (await behindLlm('llm', { n: op('llm_operator') }, ['t.0 > n.0']))();
    expect(body).toMatchObject({ text: whole, usage: {}, finishReason: 'stop' });
    for (const name of ['metrics', 'finish_reason']) expect(body).not.toHaveProperty(name);
  },
  async merged_request_builder_operator() {
    const nodes = {
      r: op('request_builder_operator', { values: { model: 'stand/other' } }),
      d: op('prompt_format_dict_builder_operator'),
      p: { ...prompt, values: { ...prompt.values, system_message: 'Be kind.' } },
      b: op('prompt_builder_operator', { resources: ['prompt'] }),
      m: op('merged_request_builder_operator', { inputs: ['model_request', 'messages'] }),
    };
    const edges = ['t.0 > r.0', 't.0 > d.0', 'd.0 > b.0', 'p.0 > b.0', 'r.0 > m.0', 'b.0 > m.1'];
    const { body } = await (await behindLlm('merged', nodes, edges))();
    expect(body).toMatchObject({ ...asRequest, model: 'stand/other' });
  },
  async model_output_2_common_response_body_operator() {
    const nodes = { n: op('llm_operator'), o: op('model_output_2_common_response_body_operator') };
    const { body } = await (await behindLlm('common', nodes, ['t.0 > n.0', 'n.0 > o.0']))();
    const { metrics } = body as { metrics: object };
    expect(Object.keys(metrics)).toEqual(['prompt_tokens', 'completion_tokens', 'total_tokens']);
  },
  async openai_streaming_output_operator() {
    const nodes = { s: op('streaming_llm_operator'), e: op('openai_streaming_output_operator') };
    const say = await behindLlm('openai_out', nodes, ['t.0 > s.0', 's.0 > e.0']);
    const answer = await say({ stream: true });
    expect(answer.text).toContain(`"id":"chatcmpl-${answer.headers.get('x-weft-run')}"`);
    const broken = await say({ stream: true, model: 'stand/breaks' });
    expect(broken.text).toMatch(/"content":"Hi".*\n\nevent: error\ndata: .*model_unavailable/s);
  },
  async prompt_builder_operator() {
    const nodes = {
      t: dict('/prompt'),
      p: prompt,
      b: op('prompt_builder_operator', { resources: ['prompt'] }),
    };
    await imported('prompt', nodes, ['t.0 > b.0', 'p.0 > b.0']);
    expect((await post('/prompt', { user_input: 'Hi', mood: 'kind' })).body).toEqual(asRequest);
  },
  async query_rewrite_operator() {
    const values = { model_name: 'stand/json', language: 'en', nums: 2 };
    const nodes = {
      t: dict('/wordings'),
      q: op('query_rewrite_operator', { resources: ['llm_client'], values }),
    };
    await imported('wordings', nodes, ['t.0 > q.0']);
    const { body } = await post('/wordings', { query: 'How long?', context: 'Tea.' });
    expect(body).toEqual(['tea time', 'steeping']);
    expect(lastBody().messages[0]?.content).toContain('You write 2 other wordings');
  },
  async request_builder_operator() {
    const nodes = { r: op('request_builder_operator', { values: { temperature: '0.5' } }) };
    const { body } = await (await behindLlm('request', nodes, ['t.0 > r.0']))();
    expect(body).toMatchObject({ text: 'Hi', messages: [{ role: 'user', content: 'Hi' }], temperature: 0.5 });
  },
  async request_http_trigger() {
    const t = op('request_http_trigger', { values: { endpoint: '/raw', methods: 'GET,POST' } });
    await imported('raw', { t, d: op('default_converter_model_output_to_dict') }, ['t.0 > d.0']);
    expect((await call(server, '/raw?a=1')).body).toEqual({ a: '1' });
    expect((await post('/raw', { b: 2 })).body).toEqual({ b: 2 });
  },
  async streaming_llm_operator() {
    const nodes = { t: dict('/items', { streaming_response: true }), s: op('streaming_llm_operator') };
    await imported('items', nodes, ['t.0 > s.0']);
    const { text } = await post('/items', llmBody);
    expect(text).toContain(pieces.map((piece) => `data:${piece}\n\n`).join(''));
  },
  async summary_assembler_operator() {
    const values = { model_name: 'stand/m', language: 'zh' };
    const nodes = {
      t: dict('/summary'),
      s: op('summary_assembler_operator', { resources: ['llm_client'], values }),
    };
    const { said } = await imported('summary', nodes, ['t.0 > s.0']);
    expect(said).toContain('Only texts are summarised');
    expect((await post('/summary', { text: 'Green tea steeps two minutes.' })).body).toBe(whole);
    expect(lastBody().messages[0]?.content).toContain('Write in Chinese.');
    expect((await post('/summary', { url: 'https://example.com' })).body).toMatchObject({
      err_code: 'bad_input',
    });
  },
  async string_http_trigger() {
    const t = op('string_http_trigger', { values: { endpoint: '/text' } });
    await imported('text', { t, d: op('default_converter_model_output_to_dict') }, ['t.0 > d.0']);
    const headers = { 'content-type': 'text/plain' };
    const answer = await call(server, '/text?body=query', { method: 'POST', headers, body: 'the body' });
    expect(answer.body).toBe('the body');
  },
};

it('every row of the table that says close is held', () => {
  const rows = Object.keys(fits).filter((name) => fits[name] !== 'equal');
  // Those that search spaces and ask databases run in the flows of another test.
  const templates = readFileSync(new URL('./awel-templates.test.ts', import.meta.url), 'utf8');
  const elsewhere = rows.filter(
    (name) => !(name in held) && !(name in compared) && templates.includes(`'${name}'`),
  );
  expect([...Object.keys(held), ...Object.keys(compared), ...elsewhere].sort()).toEqual(rows.sort());
});

test.each(Object.entries(held))('%s', (_, hold) => hold());
