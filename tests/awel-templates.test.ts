import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { originalFlow, type ShortFlow, type ShortNode } from '../server/flows/awel/testing/original-flow.ts';
import { listenOpenAi, sendChunks } from '../server/integrations/models/testing/openai-server.ts';
import { ask, call, type Owner, signIn } from './support/client.ts';
import { discard, startServer, tempFolder, type TestServer } from './support/server.ts';
import { startSite } from './support/site.ts';

/**
 * The templates that the original ships, rebuilt in short with their operators, resources, edges and values: each is imported
 * without a placeholder, goes live and runs. Its streaming chat is among the flows of `awel-llm-flows.test.ts`.
 */
let server: TestServer;
let owner: Owner;
let provider: Awaited<ReturnType<typeof listenOpenAi>>;

const sql = 'SELECT name FROM customers';

beforeAll(async () => {
  provider = await listenOpenAi((response, { body }) => {
    const asked = JSON.stringify(body['messages']);
    const proposal = { thoughts: 'Here they are.', sql, display_type: 'response_table' };
    const isReport = asked.includes('| name |');
    const said = isReport
      ? 'There is Ada.'
      : asked.includes('customers')
        ? JSON.stringify(proposal)
        : 'Two minutes.';
    sendChunks(response, [{ content: said }], 'stop');
  });
  const stand = { type: 'openai-compatible', baseUrl: provider.url, models: [{ name: 'm' }] };
  const folder = join(tempFolder('data'), 'shop');
  mkdirSync(folder);
  const db = new DatabaseSync(join(folder, 'shop.db'));
  db.exec(
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO customers VALUES (1, 'Ada')",
  );
  db.close();
  server = await startServer({
    env: {
      WEFT_PROVIDERS: JSON.stringify({ stand }),
      WEFT_OUTBOUND_ALLOW: '127.0.0.1',
      WEFT_FOLDERS: `shop=${folder}`,
    },
  });
  owner = await signIn(server);
  await owner.data('PUT', '/connections/shop', {
    kind: 'sqlite',
    settings: { folder: 'shop', file: 'shop.db', readOnly: true },
    grants: { operators: ['sql.tables', 'sql.read'] },
  });
  const { id } = await owner.data<{ id: string }>('POST', '/knowledge/spaces', { name: 'tea' });
  await owner.data('POST', `/knowledge/spaces/${id}/documents`, {
    name: 'green.md',
    text: 'Green tea steeps two minutes.',
  });
});
afterAll(async () => {
  await discard(server);
  provider.close();
});

/** Puts a template live; what was not imported as it is, is told by warnings alone. */
async function deploy(short: ShortFlow, uid: string): Promise<void> {
  const answer = await ask(`${server.url}/api/v2/serve/awel/flows?open_triggers=true`, {
    method: 'POST',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...originalFlow({ ...short, more: { uid } }), state: 'deployed' }),
  });
  expect(answer.status, answer.text).toBe(200);
  const { data } = answer.body as {
    data: { import: { problems: { severity: string }[]; sheet: { placeholders: string[] } } };
  };
  expect(data.import.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(data.import.sheet.placeholders).toEqual([]);
}

const post = (path: string, body: object) =>
  call(server, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const chat = (messages: string) => ({ model: 'stand/m', messages, stream: false });
const lastAsked = (): string => JSON.stringify(provider.asked.at(-1)?.body['messages']);

const resource = (name: string, values: object = {}, resources: readonly string[] = []): ShortNode => ({
  name,
  values: { ...values },
  resources,
  isResource: true,
});
const trigger: Omit<ShortNode, 'values'> = {
  name: 'common_llm_http_trigger',
  outputs: ['request_body', 'request_string_messages'],
};
const prompt = (human: string) =>
  resource('common_chat_prompt_template', { system_message: 'Known:\n{context}', human_message: human });

test('rag_chat_awel_flow_template answers from the space', async () => {
  await deploy(
    {
      nodes: {
        t: { ...trigger, values: { endpoint: '/templates/rag' } },
        k: {
          name: 'higher_order_knowledge_operator',
          values: { knowledge_space: 'tea', context: 'context', top_k: 5, score_threshold: 0.3 },
          outputs: ['context', 'chunks'],
        },
        p: prompt('{user_input}'),
        m: {
          name: 'higher_order_streaming_llm_operator',
          resources: ['prompt_template'],
          inputs: ['common_llm_request_body', 'extra_context'],
        },
        o: { name: 'openai_streaming_output_operator' },
      },
      edges: ['t.0 > m.0', 't.1 > k.0', 'k.0 > m.1', 'p.0 > m.0', 'm.0 > o.0'],
    },
    'rag_template',
  );
  const answer = await post('/templates/rag', chat('How long does green tea steep?'));
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('Two minutes.')]);
  expect(lastAsked()).toContain('Green tea steeps two minutes.');
});

test('chat_data_awel_flow_template answers with rows and a report', async () => {
  await deploy(
    {
      nodes: {
        t: { ...trigger, values: { endpoint: '/templates/data' } },
        d: resource('datasource', { name: 'datasource', db_name: 'shop' }),
        r: {
          name: 'higher_order_datasource_retriever_operator',
          values: {
            prompt_template:
              'Database {db_name}:\n{table_info}\nWrite {dialect}, {max_num_results} rows.\n{display_type}\n{user_input}\n{response}',
            display_type: 'response_table: many columns',
            max_num_results: 50,
            response_format: '{"thoughts": "", "sql": "", "display_type": ""}',
            context_key: 'context',
          },
          resources: ['datasource'],
          outputs: ['context', 'chunks'],
        },
        p: prompt('{user_input}'),
        m: {
          name: 'higher_order_llm_operator',
          resources: ['prompt_template'],
          inputs: ['common_llm_request_body', 'extra_context'],
        },
        s: { name: 'default_sql_output_parser' },
        e: {
          name: 'higher_order_datasource_executor_operator',
          resources: ['datasource'],
          outputs: ['sql_result', 'markdown_result'],
        },
        a: { name: 'report_analyst', inputs: ['question', 'data_report'] },
        j: { name: 'string_join_operator', values: { separator: '\n\n' }, inputs: ['a', 'b'] },
      },
      edges: [
        'd.0 > r.5',
        'd.0 > e.0',
        't.0 > m.0',
        't.1 > r.0',
        'r.0 > m.1',
        'p.0 > m.0',
        'm.0 > s.0',
        's.0 > e.0',
        't.1 > a.0',
        'e.1 > a.1',
        'e.0 > j.0',
        'a.0 > j.1',
      ],
    },
    'data_template',
  );
  const answer = await post('/templates/data', chat('Who are the customers?'));
  const text = JSON.stringify(answer.body);
  expect([answer.status, text]).toEqual([200, expect.stringContaining('Here they are.')]);
  expect(text).toContain('<chart-view content=');
  expect(text).toContain('There is Ada.');
  // The first call has the tables and no rows, the second the rows.
  const [first] = provider.asked.slice(-2).map(({ body }) => JSON.stringify(body['messages']));
  expect(first).toContain('Write SQLite, 50 rows.');
  expect(first).not.toContain('Ada');
});

describe('the templates that fill a space', () => {
  const store = (name: string) => ({
    c: resource('chroma_vector_config', { persist_path: null }),
    v: resource('chroma_vector_store', { name }, ['vector_store_config']),
  });
  const process = (path: string): Record<string, ShortNode> => ({
    t: { name: 'dict_http_trigger', values: { endpoint: path, methods: 'POST' } },
    // The templates ship with a path of the original's own server.
    k: {
      name: 'knowledge_operator',
      values: { datasource: '../../docs/docs/awel/awel.md', knowledge_type: 'DOCUMENT' },
    },
    m: { name: 'chunk_manager_operator', resources: ['chunk_parameters'] },
  });
  const vectors: ShortNode = { name: 'vector_storage_operator', resources: ['vector_store'] };
  const graph: ShortNode = { name: 'knowledge_graph_operator', resources: ['graph_store'] };
  const graphs = { g: resource('builtin_knowledge_graph', { name: 'dbgpt' }, ['config']) };

  const templates: readonly (readonly [string, ShortFlow, string])[] = [
    [
      'embedding_process_workflow',
      {
        nodes: { ...process('/rag/embdding/process'), ...store('filled'), s: vectors },
        edges: ['c.0 > v.1', 'v.0 > s.0', 't.0 > k.0', 'k.0 > m.0', 'm.0 > s.0'],
      },
      '/rag/embdding/process',
    ],
    [
      'knowledge_graph_process_workflow',
      {
        nodes: { ...process('/rag/kg/process'), ...graphs, s: graph },
        edges: ['g.0 > s.0', 't.0 > k.0', 'k.0 > m.0', 'm.0 > s.0'],
      },
      '/rag/kg/process',
    ],
    [
      'hybrid_knowledge_process_workflow',
      {
        nodes: {
          ...process('/rag/hybrid/process'),
          ...store('hybrid'),
          ...graphs,
          b: { name: 'knowledge_process_operator', outputs: ['a', 'b', 'c'] },
          s: vectors,
          w: graph,
          j: { name: 'knowledge_process_join_operator', inputs: ['a', 'b'] },
        },
        edges: [
          'c.0 > v.1',
          'v.0 > s.0',
          'g.0 > w.0',
          't.0 > k.0',
          'k.0 > m.0',
          'm.0 > b.0',
          'b.0 > s.0',
          'b.1 > w.0',
          's.0 > j.0',
          'w.0 > j.1',
        ],
      },
      '/rag/hybrid/process',
    ],
  ];

  describe.each(templates)('%s', (name, flow, path) => {
    beforeAll(() => deploy(flow, name));
    const filled = async () => (await owner.data<{ documents: number }[]>('GET', '/knowledge/spaces')).at(-1);

    test('loads a page, a text, a file of a form, and a text with a name', async () => {
      const site = await startSite((_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end('<h1>Oolong</h1><p>Oolong steeps three minutes.</p>');
      });
      const page = await post(path, { source: `${site.url}/oolong` });
      expect([page.status, page.body]).toMatchObject([200, { chunks: 1 }]);
      const text = await post(path, { source: 'Black tea steeps four minutes.' });
      expect([text.status, text.body]).toMatchObject([200, { name: 'Black tea steeps four minutes.' }]);
      const named = await post(path, { source: { name: 'white', text: 'White tea steeps one minute.' } });
      expect([named.status, named.body]).toMatchObject([200, { name: 'white', chunks: 1 }]);
      for (const field of ['source', 'file']) {
        const body = new FormData();
        body.set(field, new File(['# Mate\n\nMate steeps five minutes.'], `${field}.md`));
        const file = await call(server, path, { method: 'POST', body });
        expect([file.status, file.body]).toMatchObject([200, { name: `${field}.md`, chunks: 1 }]);
      }
      expect(await filled()).toMatchObject({ documents: 5 });
    });

    test('refuses what is no document, and says what to send', async () => {
      const nothing = await post(path, {});
      expect([nothing.status, nothing.text]).toEqual([
        422,
        expect.stringContaining('neither a `text` nor a `url`'),
      ]);
      const url = { url: '../../docs/awel.md' };
      const other = await post(path, { source: url });
      expect([other.status, other.text]).toEqual([422, expect.stringContaining(url.url)]);
    });
  });
});

describe('operators that search and fill spaces, which no template has', () => {
  const vectors = {
    c: resource('chroma_vector_config', { persist_path: null }),
    v: resource('chroma_vector_store', { name: 'tea' }, ['vector_store_config']),
  };
  const passed = (path: string, name: string, node: Partial<ShortNode>, stores = {}): ShortFlow => ({
    nodes: {
      t: { name: 'string_http_trigger', values: { endpoint: path, methods: 'POST' } },
      ...stores,
      o: { name, ...node },
    },
    edges: [
      't.0 > o.0',
      ...('v' in stores ? ['c.0 > v.1', `v.0 > o.${Object.keys(node.values ?? {}).length}`] : []),
    ],
  });
  const send = (path: string, text: string) =>
    call(server, path, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: text });

  test('space_operator gives the passages of a space as texts', async () => {
    await deploy(
      passed('/ops/space', 'space_operator', { values: { space_name: 'tea' } }),
      'space_operator_flow',
    );
    const { status, body } = await send('/ops/space', 'How long does green tea steep?');
    expect([status, body]).toEqual([200, ['Green tea steeps two minutes.']]);
  });

  test('embedding_retriever_operator gives chunks of the space that its store has become', async () => {
    const node = { values: { top_k: 3 }, resources: ['index_store'] };
    await deploy(
      passed('/ops/retrieve', 'embedding_retriever_operator', node, vectors),
      'embedding_retriever_flow',
    );
    const { status, body } = await send('/ops/retrieve', 'How long does green tea steep?');
    const hit = { content: 'Green tea steeps two minutes.', document: 'green.md' };
    expect([status, body]).toMatchObject([200, [hit]]);
  });

  test.each([
    ['embedding_assembler_operator', 'index_store'],
    ['full text_storage_operator', 'full_text_store'],
  ])('%s loads a document, and outputs it instead of its chunks', async (name, store) => {
    const own = name.split('_', 1)[0] ?? '';
    const stores = {
      c: resource('chroma_vector_config', { persist_path: null }),
      v: resource('chroma_vector_store', { name: own }, ['vector_store_config']),
    };
    const path = `/ops/${own.replace(' ', '-')}`;
    const flow = passed(path, name, { resources: [store] }, stores);
    const asText = { name: 'knowledge_operator', values: { datasource: null, knowledge_type: 'TEXT' } };
    const edges = [...(flow.edges ?? []).filter((edge) => !edge.startsWith('t.')), 't.0 > k.0', 'k.0 > o.0'];
    await deploy({ nodes: { ...flow.nodes, k: asText }, edges }, `${own.replace(' ', '_')}_flow`);
    const { status, body } = await send(path, 'Black tea steeps four minutes.');
    expect([status, body]).toMatchObject([200, { chunks: 1 }]);
  });
});
