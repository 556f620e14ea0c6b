import { beforeAll, describe, expect, it, test } from 'vitest';
import { check } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import { builtInRegistry } from '../../service/testing/flow-fixture.ts';
import { AwelFlow } from '../awel-flow.ts';
import { importFlow } from '../import-flow.ts';
import { originalFlow, type ShortFlow, type ShortNode } from '../testing/original-flow.ts';
import { fits, placeholders } from './fit.ts';
import { mappings } from './table.ts';

let catalog: Catalog;
beforeAll(async () => {
  ({ catalog } = await builtInRegistry());
});

const prompt: ShortNode = {
  name: 'common_chat_prompt_template',
  isResource: true,
  values: { system_message: 'You are {role}. {{json}}', human_message: 'Say {user_input}' },
};

/** Every operator of v0.5.6 that has a counterpart, with the default settings of DB-GPT's palette. */
const counterparts: Record<string, [operator: string, node?: Omit<ShortNode, 'name'>]> = {
  http_trigger: ['trigger.http', { values: { endpoint: '/a', methods: 'GET' } }],
  dict_http_trigger: ['trigger.http', { values: { endpoint: '/a' } }],
  string_http_trigger: ['trigger.http', { values: { endpoint: '/a' } }],
  common_llm_http_trigger: ['trigger.http', { values: { endpoint: '/a' } }],
  request_http_trigger: ['trigger.http', { values: { endpoint: 'items/{item_id}' } }],
  agent_trigger: ['trigger.chat'],
  agent_operator: ['agent.run', { resources: ['awel_agent'] }],
  example_http_hello_operator: ['core.map'],
  request_body_to_dict_operator: ['core.map', { values: { prefix_key: 'extra.a b' } }],
  user_input_parsed_operator: ['core.map', { values: { key: 'user_input' } }],
  request_body_to_str__parsed_operator: ['core.map', { values: { key: 'model' } }],
  request_builder_operator: [
    'model.request',
    { values: { model: 'm', temperature: '0.5', max_new_tokens: 5 } },
  ],
  merged_request_builder_operator: ['data.merge', { inputs: ['model_request', 'messages'] }],
  model_output_2_common_response_body_operator: ['core.map'],
  string_2_model_output_operator: ['core.map'],
  prompt_builder_operator: ['core.map', { resources: ['prompt'] }],
  merge_string_to_dict_operator: ['core.join', { values: { first_key: 'a', second_key: 'b' } }],
  chat_history_load_operator: ['core.map', { resources: ['storage'] }],
  history_prompt_builder_operator: ['core.join', { resources: ['prompt'] }],
  conversation_composer_operator: ['model.request', { resources: ['prompt_template'] }],
  prompt_format_dict_builder_operator: ['core.map'],
  default_serve_pre_chat_history_load_operator: ['core.map'],
  knowledge_space_prompt_builder_operator: ['core.join', { resources: ['prompt'] }],
  llm_branch_operator: ['model.branch', { outputs: ['streaming_request', 'no_streaming_request'] }],
  llm_operator: ['model.chat', { resources: ['llm_client'] }],
  streaming_llm_operator: ['model.stream'],
  base_output_operator: ['core.transform-stream'],
  common_streaming_output_operator: ['model.common-stream'],
  openai_streaming_output_operator: ['model.openai-stream'],
  chunks_to_string_operator: ['core.map', { values: { separator: '\n' } }],
  awel_dict_http_sender: [
    'http.request',
    { values: { address: 'https://api.example.com/x', methods: 'POST' } },
  ],
};

/** Operators of later versions that are also imported. */
const later: typeof counterparts = {
  string_join_operator: ['text.join', { values: { separator: ', ' } }],
  llm_branch_join_operator: ['model.join'],
  string_branch_join_operator: ['model.join'],
  agent_branch_join_operator: ['core.merge'],
  default_code_map_operator: [
    'code.run',
    { values: { lang: 'javascript', code: 'function fn_map(a) { return a; }' } },
  ],
  higher_order_llm_operator: ['model.chat', { resources: ['prompt_template'] }],
  higher_order_streaming_llm_operator: ['model.stream'],
  default_converter_string_to_integer: ['core.map'],
  default_converter_string_to_boolean: ['core.map', { values: { true_values: 'true,"y}}' } }],
  default_converter_string_to_float: ['core.map'],
  default_converter_integer_to_string: ['core.map'],
  default_converter_float_to_string: ['core.map'],
  default_converter_boolean_to_string: ['core.map'],
  default_converter_model_output_to_dict: ['core.map'],
  higher_order_knowledge_operator: ['knowledge.retrieve', { values: { knowledge_space: 'tea', top_k: 5 } }],
  knowledge_operator: ['core.map', { values: { datasource: null, knowledge_type: 'DOCUMENT' } }],
  chunk_manager_operator: ['core.map'],
  embedding_retriever_operator: ['knowledge.retrieve', { values: { top_k: 3 } }],
  embedding_assembler_operator: ['knowledge.load'],
  vector_storage_operator: ['knowledge.load'],
  'full text_storage_operator': ['knowledge.load'],
  knowledge_graph_operator: ['knowledge.load'],
  knowledge_process_operator: ['core.map', { outputs: ['a', 'b', 'c'] }],
  knowledge_process_join_operator: ['core.merge', { inputs: ['a', 'b'] }],
  query_rewrite_operator: [
    'knowledge.rewrite',
    { resources: ['llm_client'], values: { model_name: 'gpt-3.5-turbo', language: 'en', nums: 5 } },
  ],
  summary_assembler_operator: [
    'knowledge.summarize',
    { resources: ['llm_client'], values: { model_name: 'm', language: 'zh', max_iteration_with_llm: 5 } },
  ],
  space_operator: ['knowledge.retrieve', { values: { space_name: 'tea' } }],
  higher_order_datasource_retriever_operator: [
    'sql.tables',
    { values: { prompt_template: '{table_info} {db_name} {dialect} {{x}} {response}', max_num_results: 50 } },
  ],
  default_sql_output_parser: ['core.map'],
  higher_order_datasource_executor_operator: ['sql.read', { outputs: ['sql_result', 'markdown_result'] }],
  report_analyst: ['model.chat', { inputs: ['question', 'data_report'] }],
};

it('the import table rates the closeness of each operator', () => {
  expect(Object.keys(fits).sort()).toEqual([...mappings.keys()].sort());
  expect(placeholders.filter((name) => mappings.has(name))).toEqual([]);
});

it('the table holds nothing else', () => {
  expect([...mappings.keys()].sort()).toEqual(Object.keys({ ...counterparts, ...later }).sort());
});

function imported(flow: ShortFlow) {
  return importFlow(AwelFlow.parse(originalFlow(flow)), { id: 'some_flow', catalog });
}

/** The prompt of retrieved knowledge, which knows only its own fields. */
const knowledge: ShortNode = {
  ...prompt,
  values: { system_message: 'Known: {context}', human_message: '{user_input}' },
};

function single(name: string, node: Omit<ShortNode, 'name'> = {}) {
  const [resource] = node.resources ?? [];
  const nodes = {
    operator___$$___1: { name, ...node },
    ...(resource !== undefined && { r: name.startsWith('knowledge') ? knowledge : prompt }),
  };
  const at = Object.keys(node.values ?? {}).length;
  return imported({ nodes, edges: resource === undefined ? [] : [`r.0 > operator___$$___1.${at}`] });
}

/** Problems of the node itself; a node that is connected to nothing is normal in a flow of one node. */
function faults(flow: Flow) {
  const nodeFaults = ['bad-param', 'unknown-operator', 'bad-schema', 'bad-path', 'code-syntax'];
  const found = check(flow, catalog, { routes: [], variables: [], secrets: undefined });
  return found.filter(({ code }) => nodeFaults.includes(code) || code.startsWith('expression'));
}

describe('every operator of v0.5.6 that has a counterpart becomes it, with valid params', () => {
  test.each(Object.entries({ ...counterparts, ...later }))('%s', (name, [operator, node]) => {
    const { flow } = single(name, node);
    const [made] = Object.values(flow.nodes);
    expect(made?.operator).toBe(operator);
    expect(faults(flow)).toEqual([]);
  });
});

test.each(placeholders)(
  '%s has none: it becomes a placeholder that keeps its values, with one problem',
  (name) => {
    const { flow, problems } = single(name, { values: { space_name: 'mine' } });
    expect(Object.values(flow.nodes)).toMatchObject([
      { operator: `awel.${name}`, params: { space_name: 'mine' }, awel: { data: { name } } },
    ]);
    expect(problems).toMatchObject([
      { code: 'unknown-operator', severity: 'error', node: name.replace(' ', '_') },
    ]);
  },
);

it('endpoints, methods, status and streaming of a trigger are taken over', () => {
  const values = {
    endpoint: ' //items/{item_id}/{dag_id}',
    methods: ['get', 'DELETE'],
    status_code: '201',
    streaming_response: 'true',
  };
  const { flow } = single('request_http_trigger', { values });
  expect(Object.values(flow.nodes)[0]?.params).toEqual({
    path: '/items/:item_id/some_flow',
    methods: ['GET', 'DELETE'],
    auth: 'none',
    response: { as: 'raw-sse', status: 201 },
  });
});

it('a prompt of DB-GPT keeps its words, fields and braces', () => {
  const { flow } = single('prompt_builder_operator', { resources: ['prompt'] });
  expect(Object.values(flow.nodes)[0]?.params).toEqual({
    value: {
      messages: [
        { role: 'system', content: 'You are {{ input.role }}. {{ "\\u007b" }}json{{ "\\u007d" }}' },
        { role: 'user', content: 'Say {{ input.user_input }}' },
      ],
    },
  });
});

it('a prompt with retrieved knowledge puts the question into its first field, whatever its name', () => {
  const { flow } = imported({
    nodes: {
      k: {
        name: 'knowledge_space_prompt_builder_operator',
        resources: ['prompt'],
        inputs: ['user_input', 'related_context', 'history'],
      },
      p: {
        ...prompt,
        values: { system_message: 'Known: {context} after {chat_history}', human_message: '{messages}' },
      },
    },
    edges: ['p.0 > k.0'],
  });
  expect(Object.values(flow.nodes)[0]?.params?.['value']).toEqual({
    messages: [
      { role: 'system', content: 'Known: {{ inputs.context }} after {{ inputs.history }}' },
      { role: 'user', content: '{{ inputs.user_input }}' },
    ],
    history: '{{ inputs.history }}',
  });
});

it('a document is loaded as chunks for an operator that turns them into a text', () => {
  const { flow } = imported({
    nodes: { e: { name: 'embedding_assembler_operator' }, c: { name: 'chunks_to_string_operator' } },
    edges: ['e.0 > c.0'],
  });
  expect(flow.nodes['e']?.params).toMatchObject({ result: 'chunks' });
  const alone = imported({ nodes: { e: { name: 'embedding_assembler_operator' } } });
  expect(alone.flow.nodes['e']?.params).not.toHaveProperty('result');
});

it.each([
  ['https://docs.example.com/a', 'DOCUMENT', { url: 'https://docs.example.com/a' }, 0],
  ['../docs/a.md', 'DOCUMENT', expect.stringContaining('input.source'), 1],
  ['/srv/a.md', 'URL', { url: expect.stringContaining('input.source') as string }, 1],
  ['Tea steeps.', 'TEXT', { text: 'Tea steeps.' }, 0],
])(
  'the source %s of a document (%s) is kept unless it is a path',
  (datasource, knowledge_type, value, notes) => {
    const { flow, problems } = single('knowledge_operator', { values: { datasource, knowledge_type } });
    expect(Object.values(flow.nodes)[0]?.params).toEqual({ value });
    expect(problems.map(({ message }) => message.includes(datasource))).toEqual(Array(notes).fill(true));
  },
);

it('the history limit of an operator becomes a node in front of it', () => {
  const history = (values: Record<string, unknown>) => {
    const { flow } = single('higher_order_llm_operator', { values });
    return Object.values(flow.nodes).find(({ operator }) => operator === 'prompt.history')?.params;
  };
  expect(history({})).toEqual({ mode: 'none' });
  expect(history({ history_merge_mode: 'window', keep_end_rounds: 10 })).toBeUndefined();
  expect(history({ history_merge_mode: 'window', keep_start_rounds: 1, keep_end_rounds: '3' })).toEqual({
    mode: 'window',
    keepStartRounds: 1,
    keepEndRounds: 3,
  });
  expect(history({ history_merge_mode: 'token', max_token_limit: 500 })).toEqual({
    mode: 'token',
    maxTokens: 500,
  });
  const { flow } = imported({
    nodes: { t: { name: 'dict_http_trigger' }, m: { name: 'higher_order_llm_operator' } },
    edges: ['t.0 > m.0'],
  });
  expect(flow.edges).toEqual([
    { from: 't.out', to: 'history.in' },
    { from: 'history.out', to: 'm.in' },
  ]);
});

it('keys and passwords of nodes without a counterpart stay out of the flow', () => {
  const { flow, problems } = imported({
    nodes: {
      e: {
        name: 'agent_branch_operator',
        values: { api_key: 'sk-sesame', context_key: 'context' },
        resources: ['store'],
      },
      s: { name: 'milvus_vector_config', isResource: true, values: { password: 'sesame', user: 'ada' } },
    },
    edges: ['s.0 > e.2'],
  });
  expect(JSON.stringify(flow)).not.toContain('sesame');
  expect(JSON.stringify(flow)).toContain('ada');
  expect(flow.nodes['e']?.params).toEqual({ context_key: 'context' });
  expect(problems).toMatchObject([
    { code: 'unknown-operator' },
    { code: 'not-supported', message: expect.stringContaining('api_key') as string },
    { code: 'not-supported', message: expect.stringContaining('password') as string },
  ]);
});

it('a token in the file becomes the name of a secret, and is nowhere in the flow', () => {
  const values = { address: 'https://api.example.com', methods: 'GET', token: 'sesame-street', timeout: 5 };
  const { flow } = single('awel_dict_http_sender', { values });
  expect(JSON.stringify(flow)).not.toContain('sesame');
  expect(Object.values(flow.nodes)[0]?.params).toMatchObject({
    auth: { type: 'bearer', secret: { $secret: 'some_flow_token' } },
    timeoutMs: 5000,
  });
});

it('Python code is kept as a comment, with an error', () => {
  const { flow, problems } = single('default_code_map_operator', {
    values: { code: 'def fn_map(x):\r\n  return x\u2028alert(1)', lang: 'python' },
  });
  expect(problems).toMatchObject([{ code: 'not-supported', severity: 'error' }]);
  const source = String(Object.values(flow.nodes)[0]?.params?.['source']);
  const lines = source.split('\n');
  expect(lines.slice(0, 3)).toEqual(['// def fn_map(x):', '//   return x', '// alert(1)']);
  expect(faults(flow)).toEqual([]);
});

it('the parts of a node that cannot be imported are reported', () => {
  const flow: ShortFlow = {
    nodes: {
      op: { name: 'llm_operator', resources: ['llm_client'] },
      client: { name: 'openai_llm_client', isResource: true, values: { api_key: 'sk-1' } },
      stray: { name: 'json_serializer', isResource: true },
    },
    edges: ['client.0 > op.0'],
  };
  expect(imported(flow).problems).toMatchObject([
    { code: 'not-supported', severity: 'warning', node: 'op' },
    {
      code: 'not-supported',
      severity: 'warning',
      message: expect.stringContaining('json_serializer') as string,
    },
  ]);
});
