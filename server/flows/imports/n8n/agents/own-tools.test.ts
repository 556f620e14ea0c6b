import { expect, test } from 'vitest';
import { formatFlow } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import { flowText } from '../../../../admin/cli/testing/temp-project.ts';
import {
  accounted,
  behindItems,
  errorsIn,
  importedShort,
  type Node,
  post,
  postTo,
  rl,
  shareServer,
} from '../testing/service-bed.ts';

shareServer();

/** Tools that become a flow with one node, models that are chosen, and code of LangChain. */

async function agentWith(tools: Record<string, Node>, models: Record<string, Node>, wires: string[]) {
  const { flows, report } = await importedShort({
    nodes: {
      Chat: ['chatTrigger@1.1'],
      Agent: ['agent@2'],
      ...Object.fromEntries(
        Object.entries({ ...tools, ...models }).map(([name, node]) => [name, accounted(node)]),
      ),
    },
    wires: ['Chat > Agent', ...Object.keys(tools).map((name) => `${name} ai_tool> Agent`), ...wires],
  });
  expect(errorsIn(flows)).toEqual([]);
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  const run = Object.values(flows[0]?.nodes ?? {}).find(({ operator }) => operator === 'agent.run');
  return { agent: run?.params?.['agent'], flows, report };
}

const gpt: Record<string, Node> = { Model: ['lmChatOpenAi@1.2', { model: rl('gpt-4o') }] };
const gptWire = ['Model ai_languageModel> Agent'];

test('a search of one’s own server is a flow that asks it', async () => {
  const { agent, flows } = await agentWith(
    { Search: ['toolSearXng@1', { options: { language: 'en', safesearch: 2 } }] },
    gpt,
    gptWire,
  );
  expect(agent).toMatchObject({ tools: [{ type: 'flow', name: 'search', value: { flow: 'job_search' } }] });
  const caller = flowText(
    'job',
    {
      start: { operator: 'trigger.http', params: { path: '/job', methods: ['POST'], auth: 'none' } },
      call: { operator: 'flow.call', params: { flow: 'job_search', input: '{{ input }}' } },
    },
    ['start > call'],
  );
  const found = await post(
    [formatFlow(flows.find(({ id }) => id === 'job_search') as Flow), caller],
    { query: 'tea' },
    ({ method, path }) => (path === '/search' ? { method, results: [{ title: 'Tea' }] } : undefined),
  );
  expect(found).toEqual({ method: 'POST', results: [{ title: 'Tea' }] });
});

test.each([
  [
    'toolSerpApi@1',
    'https://serpapi.com/search.json',
    'api_key',
    { engine: 'google', q: '{{ input.query }}', gl: 'de' },
  ],
  [
    'toolWolframAlpha@1',
    'https://www.wolframalpha.com/api/v1/llm-api',
    'appid',
    { input: '{{ input.query }}' },
  ],
])('%s is a request with its key in the query', async (kind, url, name, query) => {
  const { flows, report } = await agentWith({ Ask: [kind, { options: { gl: 'de' } }] }, gpt, gptWire);
  const tool = flows.find(({ id }) => id === 'job_ask') as Flow;
  expect(Object.values(tool.nodes)).toContainEqual(
    expect.objectContaining({
      operator: 'http.request',
      params: expect.objectContaining({
        url,
        query,
        auth: { type: 'query', name, secret: { $secret: 'account' } },
      }),
    }),
  );
  expect(report.needs).toContainEqual(expect.objectContaining({ kind: 'secret', name: 'account' }));
});

test('a call of a model is a tool with what the agent fills in', async () => {
  const { agent, flows } = await agentWith(
    {
      Draw: [
        'googleGeminiTool@1',
        {
          modelId: rl('models/gemini-2.5-flash'),
          messages: { values: [{ content: "={{ $fromAI('question', 'What to ask') }}" }] },
        },
      ],
    },
    gpt,
    gptWire,
  );
  expect(agent).toMatchObject({ tools: [{ type: 'flow', value: { flow: 'job_draw' } }] });
  const { nodes } = flows.find(({ id }) => id === 'job_draw') as Flow;
  expect(Object.values(nodes)).toContainEqual(
    expect.objectContaining({
      operator: 'model.chat',
      params: expect.objectContaining({
        model: 'google/gemini-2.5-flash',
        prompt: '{{ input?.["question"] }}',
      }),
    }),
  );
});

test('a model that rules choose is the first one, and told', async () => {
  const { agent, report } = await agentWith(
    {},
    {
      ...gpt,
      Other: ['lmOpenHuggingFaceInference@1', { model: 'mistral-7b' }],
      Choice: ['modelSelector@1', { numberInputs: 2, rules: { rule: [{ modelIndex: 2, conditions: {} }] } }],
    },
    ['Model ai_languageModel> Choice', 'Other ai_languageModel> Choice', 'Choice ai_languageModel> Agent'],
  );
  expect(agent).toMatchObject({ model: 'openai/gpt-4o' });
  expect(report.changes).toContainEqual(
    expect.objectContaining({ effect: 'lost', message: expect.stringContaining('chose among 2 models') }),
  );
});

test('a message to Ollama with its system message', async () => {
  const { flows, report } = await importedShort(
    behindItems([
      'ollama@1',
      {
        modelId: rl('llama3.2'),
        messages: { values: [{ content: '=Hi {{ $json.who }}' }] },
        options: { system: 'Be brief.', temperature: 0.2 },
      },
    ]),
  );
  expect(errorsIn(flows)).toEqual([]);
  expect(report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
  expect(Object.values(flows[0]?.nodes ?? {})).toContainEqual(
    expect.objectContaining({
      operator: 'model.chat',
      params: {
        model: 'ollama/llama3.2',
        system: 'Be brief.',
        prompt: 'Hi {{ input?.who }}',
        temperature: 0.2,
      },
    }),
  );
});

const LANGCHAIN_CODE = '@n8n/n8n-nodes-langchain.code';

test('code of LangChain that only works on items runs, any other is a placeholder', async () => {
  const code = (text: string) => ({ code: { execute: { code: text } } });
  const plain = 'return this.getInputData().map(({ json }) => ({ json: { n: json.n * 2 } }));';
  const { flows } = await importedShort(behindItems([`${LANGCHAIN_CODE}@1`, code(plain)]));
  expect(errorsIn(flows)).toEqual([]);
  expect(await postTo('http://127.0.0.1:1', [formatFlow(flows[0] as Flow)], [{ n: 1 }, { n: 2 }])).toEqual([
    { n: 2 },
    { n: 4 },
  ]);
  for (const text of [
    "const llm = await this.getInputConnectionData('ai_languageModel', 0); return [];",
    "const { PromptTemplate } = require('@langchain/core/prompts'); return [];",
  ]) {
    const { report } = await importedShort(behindItems([`${LANGCHAIN_CODE}@1`, code(text)]));
    expect(report.nodes.find(({ name }) => name === 'Node')).toMatchObject({ word: 'placeholder' });
  }
});
