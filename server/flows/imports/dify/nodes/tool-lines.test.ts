import { beforeAll, describe, expect, test } from 'vitest';
import { check } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import type { ImportReport } from '#shared/import-report.ts';
import { bodyOf, play } from '../../../../../engine/testing/play.ts';
import { builtInRegistry } from '../../../service/testing/flow-fixture.ts';
import { difyReader } from '../reader.ts';
import { difyApp, field, model, output } from '../testing/dify-app.ts';
import { fieldsOf } from './tool-requests.ts';
import { toolLines } from './tool-lines.ts';

/** Tools of plugins that are one request: what is sent, and what becomes of an answer of the service. */
let catalog: Catalog;
beforeAll(async () => {
  ({ catalog } = await builtInRegistry());
});

type Settings = Readonly<Record<string, unknown>>;

function read(node: Settings): { flow: Flow; report: ImportReport } {
  const app = difyApp({
    nodes: {
      start: { type: 'start', variables: [field('q')] },
      node: { type: 'tool', ...node },
      end: { type: 'end', outputs: [output('text', 'node', 'text'), output('json', 'node', 'json')] },
    },
    edges: ['start > node', 'node > end'],
  });
  const [original] = difyReader.split({ path: 'a.yml', text: '', json: app });
  const around = { catalog, id: 'app', idFor: (name: string) => name, flowOf: () => undefined };
  const { drafts, report } = difyReader.read(original as never, around);
  return { flow: drafts[0]?.flow as Flow, report };
}

const named = (name: string, parameters: Settings = {}, configurations: Settings = {}): Settings => {
  const [provider = '', tool] = name.split('/');
  return {
    provider_type: 'builtin',
    provider_id: `langgenius/${provider}/${provider}`,
    tool_name: tool,
    tool_parameters: Object.fromEntries(
      Object.entries(parameters).map(([key, value]) => [key, { type: 'mixed', value }]),
    ),
    tool_configurations: configurations,
  };
};

function requestIn({ nodes }: Flow): [id: string, node: FlowNode] {
  return Object.entries(nodes).find(([, { operator }]) => operator === 'http.request') as [string, FlowNode];
}

/** What the workflow answers if the service answers this. */
function answered(flow: Flow, answer: unknown): unknown {
  const [id] = requestIn(flow);
  const nodes = { ...flow.nodes, [id]: { operator: 'core.map', params: { value: { body: answer } } } };
  const edges = flow.edges.map((edge) => ({ ...edge, from: edge.from.replace(`${id}.body`, `${id}.out`) }));
  return bodyOf(play({ ...flow, nodes, edges }, { q: 'tea' }));
}

const ELSEWHERE = new Set(['unknown-secret', 'secret-not-granted', 'unknown-flow']);

test.each(Object.entries(toolLines))('%s becomes a request that check accepts', (name, line) => {
  const parameters = fieldsOf(line).flatMap(({ parameter }) => (parameter === '' ? [] : [parameter]));
  const { flow, report } = read(
    named(name, Object.fromEntries(parameters.map((one) => [one, '{{#start.q#}}']))),
  );
  expect(report.nodes.find((one) => one.name === 'node')?.word).toBe('close');
  const problems = check(flow, catalog, { routes: [], variables: [], secrets: undefined } as never);
  expect(problems.filter(({ severity, code }) => severity === 'error' && !ELSEWHERE.has(code))).toEqual([]);
  // Whatever the service answers, the workflow has its outputs.
  for (const answer of [{}, null, { results: null }, { data: 1 }])
    expect(answered(flow, answer)).toMatchObject({ text: expect.any(String), json: expect.any(Array) });
});

test('what is sent is what the tool has', () => {
  const { flow, report } = read(
    named(
      'tavily/tavily_search',
      { query: 'About {{#start.q#}}' },
      {
        max_results: '7',
        include_domains: 'a.example, b.example',
        include_answer: 1,
        search_depth: { type: 'constant', value: 'advanced' },
        include_images: 1,
        topic: null,
      },
    ),
  );
  expect(requestIn(flow)[1].params).toEqual({
    method: 'POST',
    url: 'https://api.tavily.com/search',
    body: {
      query: 'About {{ nodes.start?.q }}',
      search_depth: 'advanced',
      max_results: 7,
      include_domains: ['a.example', 'b.example'],
      include_answer: true,
    },
    auth: { type: 'bearer', secret: { $secret: 'tavily_api_key' } },
    response: 'json',
    timeoutMs: 60_000,
  });
  expect(report.needs.map(({ kind, name }) => [kind, name])).toEqual([['secret', 'tavily_api_key']]);
  expect(report.nodes.find(({ name }) => name === 'node')?.difference).toContain('include_images');
});

describe('the outputs of an answer', () => {
  test.each([
    [
      'tavily/tavily_search',
      { results: [{ title: 'Tea', url: 'https://a.example', content: 'A drink.' }] },
      '# Result 1: [Tea](https://a.example)\n\nA drink.',
    ],
    [
      'wikipedia/wikipedia_search',
      { query: { pages: { 1: { title: 'Tea', extract: 'A drink.' }, 2: { title: 'Cup' } } } },
      'Page: Tea\nSummary: A drink.\n\nPage: Cup\nSummary: ',
    ],
    [
      'google_translate/translate',
      [
        [
          ['Tee', 'tea'],
          [' heiß', ' hot'],
        ],
      ],
      'Tee heiß',
    ],
    ['firecrawl/scrape', { data: { markdown: '# Tea' } }, '# Tea'],
  ])('%s', (name, answer, text) => {
    expect(answered(read(named(name)).flow, answer)).toMatchObject({ text });
  });
});

test('a key that stands in the file is a secret', () => {
  const key = '0f8fad5b-d9cb-469f-a165-70867728950e';
  const { flow, report } = read(
    named('wecom/wecom_group_bot', { content: 'Hi' }, { hook_key: key, message_type: 'text' }),
  );
  expect(JSON.stringify(flow)).not.toContain(key);
  expect(requestIn(flow)[1].params).toMatchObject({
    body: { msgtype: 'text', text: { content: 'Hi' } },
    auth: { type: 'query', name: 'key' },
  });
  expect(report.needs[0]).toMatchObject({ kind: 'secret', kept: true });
});

test('a mail goes through a connection', () => {
  const { flow, report } = read(
    named('email/send_mail', { send_to: '{{#start.q#}}', subject: 'Hi', email_content: 'Tea?', cc: '' }),
  );
  const mail = Object.values(flow.nodes).find(({ operator }) => operator === 'mail.send');
  expect(mail?.params).toEqual({
    connection: 'mail',
    to: '{{ nodes.start?.q }}',
    subject: 'Hi',
    text: 'Tea?',
  });
  expect(report.needs.map(({ kind, name }) => [kind, name])).toEqual([['connection', 'mail']]);
});

test('a path into a JSON text is an expression; a filter is not', () => {
  const parse = (path: string) =>
    read({
      provider_id: 'json_process',
      tool_name: 'parse',
      tool_parameters: {
        content: { type: 'mixed', value: '{"a": {"b": [1, {"c": "x"}]}, "n": {{#start.q#}}}' },
        json_filter: { type: 'mixed', value: path },
      },
    });
  const found = (path: string) => bodyOf(play(parse(path).flow, { q: '7' }));
  expect(found('$.a.b[1].c')).toMatchObject({ text: 'x' });
  expect(found('n')).toMatchObject({ text: '7' });
  expect(found('a.b')).toMatchObject({ text: '[1,{"c":"x"}]' });
  expect(found('a.missing')).toMatchObject({ text: '' });
  expect(parse('$.a[?(@.b)]').report.nodes.find(({ name }) => name === 'node')?.word).toBe('placeholder');
});

test('a workflow that is a tool is a flow that is called', () => {
  const { flow, report } = read({
    provider_type: 'workflow',
    provider_id: 'an id',
    tool_name: 'imageSearch',
    tool_parameters: { q: { type: 'mixed', value: '{{#start.q#}}' }, n: { type: 'constant', value: 2 } },
  });
  const call = Object.values(flow.nodes).find(({ operator }) => operator === 'flow.call');
  expect(call?.params).toEqual({ flow: 'image_search', input: { q: '{{ nodes.start?.q }}', n: 2 } });
  expect(report.needs.map(({ kind, name }) => [kind, name])).toEqual([['flow', 'image_search']]);
});

test('an agent has a server of MCP and tools of plugins as its tools', () => {
  const agentWith = (tools: readonly Settings[], more: Settings = {}) => {
    const { flow, report } = read({
      type: 'agent',
      agent_parameters: {
        query: { type: 'constant', value: 'Hi' },
        model: { value: model },
        tools: { value: tools },
        ...more,
      },
    });
    const found = Object.values(flow.nodes).find(({ operator }) => operator === 'agent.run');
    return { tools: (found?.params?.['agent'] as Settings)?.['tools'], report };
  };
  const list = { provider_name: 'hjlarry/agent/mcp', tool_name: 'mcp_list_tools', enabled: true };
  const time = { provider_name: 'time', tool_name: 'current_time', enabled: true };
  const google = { provider_name: 'langgenius/google/google', tool_name: 'google_search', enabled: true };
  const off = { provider_name: 'x/y/z', tool_name: 'other', enabled: false };
  const { tools } = agentWith([list, time, google, off], {
    mcp_server: { value: 'https://mcp.example.com/sse?key=abcdef123456' },
  });
  expect(tools).toEqual([
    {
      type: 'mcp',
      name: 'mcp',
      value: {
        url: 'https://mcp.example.com/sse',
        auth: { type: 'query', name: 'key', secret: { $secret: 'app_mcp' } },
      },
    },
    {
      type: 'http',
      name: 'google_search',
      value: {
        url: 'https://serpapi.com/search?q={query}&engine=google&google_domain=google.com&num=10',
        method: 'GET',
        description: 'Searches the web with Google.',
        auth: { type: 'query', name: 'api_key', secret: { $secret: 'serpapi_api_key' } },
      },
    },
  ]);
  const { report } = agentWith([{ ...off, enabled: true }]);
  expect(report.nodes.find(({ name }) => name === 'node')).toMatchObject({ word: 'placeholder' });
});
