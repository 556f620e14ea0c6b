import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { originalFlow, type ShortFlow } from '../server/flows/awel/testing/original-flow.ts';
import { listenOpenAi, sendChunks } from '../server/integrations/models/testing/openai-server.ts';
import { ask, call, type Owner, signIn } from './support/client.ts';
import { discard, startServer, type TestServer } from './support/server.ts';
import { startSite } from './support/site.ts';

/**
 * Packages in the form of the original's public hub: a manifest, and a file with nodes and edges alone. An archive of several is
 * imported, their flows go live and run.
 */
let server: TestServer;
let owner: Owner;
let provider: Awaited<ReturnType<typeof listenOpenAi>>;

const trigger = (endpoint: string) => ({ name: 'common_llm_http_trigger', values: { endpoint } });
const prompt = (system_message: string, human_message: string) => ({
  name: 'common_chat_prompt_template',
  isResource: true,
  values: { system_message, human_message },
});
const agent = (agent_profile: string) => ({
  name: 'agent_operator_agent',
  isResource: true,
  values: { agent_profile },
});

const packages: Readonly<Record<string, ShortFlow>> = {
  hub_rag_chat: {
    nodes: {
      t: trigger('/hub/rag'),
      q: { name: 'request_body_to_str__parsed_operator', values: { key: 'messages' } },
      r: { name: 'request_builder_operator' },
      s: { name: 'space_operator', values: { space_name: 'tea' } },
      h: { name: 'chat_history_load_operator' },
      k: {
        name: 'knowledge_space_prompt_builder_operator',
        resources: ['prompt'],
        inputs: ['user_input', 'related_context', 'history'],
      },
      p: prompt('Known: {context}', '{messages}'),
      m: { name: 'merged_request_builder_operator', inputs: ['model_request', 'messages'] },
      l: { name: 'llm_operator' },
    },
    edges: [
      't.0 > q.0',
      't.0 > r.0',
      'r.0 > m.0',
      'm.0 > l.0',
      'q.0 > s.0',
      'r.0 > h.0',
      'h.0 > k.2',
      's.0 > k.1',
      'q.0 > k.0',
      'p.0 > k.0',
      'k.0 > m.1',
    ],
  },
  hub_save_page: {
    nodes: {
      t: trigger('/hub/save'),
      q: { name: 'request_body_to_str__parsed_operator', values: { key: 'messages' } },
      k: { name: 'knowledge_operator', values: { datasource: null, knowledge_type: 'URL' } },
      e: { name: 'embedding_assembler_operator', resources: ['vector_store_connector'] },
      v: { name: 'vector_store_connector', isResource: true, resources: ['vector_store_config'] },
      c: { name: 'chroma_vector_store', isResource: true, values: { name: 'pages' } },
      s: { name: 'chunks_to_string_operator', values: { separator: '|' } },
    },
    edges: ['t.0 > q.0', 'q.0 > k.0', 'k.0 > e.0', 'e.0 > s.0', 'v.0 > e.0', 'c.0 > v.0'],
  },
  hub_summary: {
    nodes: {
      t: { name: 'dict_http_trigger', values: { endpoint: '/hub/summary', methods: 'POST' } },
      k: { name: 'knowledge_operator', values: { datasource: null, knowledge_type: 'DOCUMENT' } },
      s: { name: 'summary_assembler_operator', resources: ['llm_client'], values: { model_name: 'stand/m' } },
      o: { name: 'string_2_model_output_operator' },
    },
    edges: ['t.0 > k.0', 'k.0 > s.0', 's.0 > o.0'],
  },
  hub_search: {
    nodes: {
      t: { name: 'agent_trigger' },
      a: { name: 'agent_operator', resources: ['awel_agent'] },
      b: { name: 'agent_operator', resources: ['awel_agent'] },
      x: agent('Searcher'),
      y: agent('Summarizer'),
    },
    edges: ['t.0 > a.0', 'a.0 > b.0', 'x.0 > a.0', 'y.0 > b.0'],
  },
};

/** The archive, as the hub's folder would be packed. */
function packed(): Blob {
  const files = Object.entries(packages).flatMap(([name, short]) => [
    [
      `${name}/dbgpts.toml`,
      `[flow]\nlabel = "${name}"\nname = "${name}"\ndefinition_type = "json"\n[json_config]\nfile_path = "definition/flow_definition.json"\n`,
    ],
    [`${name}/${name}/definition/flow_definition.json`, JSON.stringify(originalFlow(short)['flow_data'])],
  ]);
  return new Blob([
    zipSync(Object.fromEntries(files.map(([path = '', text = '']) => [path, strToU8(text)]))),
  ]);
}

beforeAll(async () => {
  provider = await listenOpenAi((response) => sendChunks(response, [{ content: 'Two minutes.' }], 'stop'));
  const stand = { type: 'openai-compatible', baseUrl: provider.url, models: [{ name: 'm' }] };
  server = await startServer({
    env: { WEFT_PROVIDERS: JSON.stringify({ stand }), WEFT_OUTBOUND_ALLOW: '127.0.0.1' },
  });
  owner = await signIn(server);
  const { id } = await owner.data<{ id: string }>('POST', '/knowledge/spaces', { name: 'tea' });
  await owner.data('POST', `/knowledge/spaces/${id}/documents`, {
    name: 'green.md',
    text: 'Green tea steeps two minutes.',
  });
  const form = new FormData();
  form.set('file', packed(), 'hub.zip');
  const query = 'save_flow=true&open_triggers=true';
  const imported = await ask(`${server.url}/api/v2/serve/awel/flow/import?${query}`, {
    method: 'POST',
    headers: owner.headers,
    body: form,
  });
  const { data } = imported.body as { data: { flows: Written[]; left: unknown[] } };
  expect(data.left).toEqual([]);
  expect(data.flows.map(({ uid }) => uid)).toEqual(Object.keys(packages).sort());
  for (const { uid, weft, import: about } of data.flows) {
    expect([uid, about.problems.filter(({ severity }) => severity === 'error')]).toEqual([uid, []]);
    await owner.data('POST', `/flows/${uid}/publish`, { revision: weft.revision });
  }
});
afterAll(async () => {
  await discard(server);
  provider.close();
});

interface Written {
  readonly uid: string;
  readonly weft: { readonly revision: string };
  readonly import: { readonly problems: readonly { readonly severity: string }[] };
}

const post = (path: string, messages: string) =>
  call(server, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'stand/m', messages, stream: false }),
  });

test('a chat about a space asks the model with its passages and the question', async () => {
  const answer = await post('/hub/rag', 'How long does green tea steep?');
  expect([answer.status, answer.body]).toMatchObject([200, { text: 'Two minutes.' }]);
  expect(provider.asked.at(-1)?.body['messages']).toEqual([
    { role: 'system', content: expect.stringContaining('Green tea steeps two minutes.') },
    { role: 'user', content: 'How long does green tea steep?' },
  ]);
});

test('a page is loaded into its space, and its chunks are the answer as one text', async () => {
  const site = await startSite((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<h1>Oolong</h1><p>Oolong steeps three minutes.</p>');
  });
  const saved = await post('/hub/save', site.url);
  expect([saved.status, saved.body]).toEqual([200, expect.stringContaining('Oolong steeps three minutes.')]);
  const wrong = await post('/hub/save', '../docs/awel.md');
  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('../docs/awel.md')]);
});

test('a page is read and summarised', async () => {
  const site = await startSite((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<h1>Mate</h1><p>Mate steeps five minutes.</p>');
  });
  const { status, body } = await call(server, '/hub/summary', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ source: site.url }),
  });
  expect([status, body]).toMatchObject([200, { text: 'Two minutes.' }]);
  expect(JSON.stringify(provider.asked.at(-1)?.body['messages'])).toContain('Mate steeps five minutes.');
});

test('an agent gets the question and what the agent before it has answered', async () => {
  const chat = await ask(`${server.url}/api/v2/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'stand/m',
      messages: 'How long?',
      chat_mode: 'chat_flow',
      chat_param: 'hub_search',
      stream: false,
      enable_vis: false,
    }),
  });
  expect(chat.body).toMatchObject({ choices: [{ message: { content: 'Two minutes.' } }] });
  const [first, second] = provider.asked.slice(-2).map(({ body }) => body['messages'] as object[]);
  expect(first).toEqual([{ role: 'user', content: 'How long?' }]);
  expect(second).toEqual([
    { role: 'user', content: 'How long?' },
    { role: 'assistant', content: 'Two minutes.' },
    { role: 'user', content: 'How long?' },
  ]);
});
