import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { App } from '#shared/app.ts';
import type { CreatedKey } from '#shared/key.ts';
import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import { ask, keyHeaders, type Owner, signIn } from './support/client.ts';
import { eventually } from './support/eventually.ts';
import { copyOfExamples, type FlowJson, httpTrigger, write } from './support/flows.ts';
import { discard, startServer, tempFolder, type TestServer } from './support/server.ts';

/** Agents on a real server: apps over its API, the demo model that does what its script says, answers over the chat. */
interface World {
  readonly server: TestServer;
  readonly owner: Owner;
}

const price: FlowJson = {
  format: 1,
  id: 'price',
  nodes: {
    trigger: httpTrigger('/price', {
      auth: 'api-key',
      request: { type: 'object', required: ['article'], properties: { article: { type: 'string' } } },
    }),
    say: { operator: 'core.map', params: { value: '{{ input.article + " costs 5" }}' } },
  },
  edges: [{ from: 'trigger.out', to: 'say.in' }],
};

const greet: FlowJson = {
  format: 1,
  id: 'greet',
  nodes: {
    trigger: { operator: 'trigger.chat' },
    say: { operator: 'core.map', params: { value: '{{ "Hello, you said " + input.text }}' } },
  },
  edges: [{ from: 'trigger.out', to: 'say.in' }],
};

let world: World;
beforeAll(async () => {
  const flows = tempFolder('flows');
  for (const flow of [price, greet]) write(flows, `${flow.id}.json`, flow);
  const server = await startServer({ flows });
  world = { server, owner: await signIn(server) };
});
afterAll(() => discard(world.server));

async function setBudgets(budgets: object): Promise<unknown> {
  onTestFinished(async () => void (await world.owner.data('PUT', '/budgets', {})));
  return world.owner.data('PUT', '/budgets', budgets);
}

const script = (...lines: readonly string[]): string => ['```demo', ...lines, '```'].join('\n');
const agentNamed = (agent_name: string, more: object = {}): object => ({
  agent_name,
  resources: [],
  prompt_template: `You are ${agent_name}.`,
  ...more,
});
const priceTool = [{ type: 'awel_flow', name: 'price', value: 'price' }];

async function makeApp({ server }: World, body: object): Promise<string> {
  const apps = `${server.url}/api/v2/serve/apps`;
  const headers = keyHeaders(server);
  const answer = await ask(apps, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ app_name: 'Team', app_describe: 'A team.', language: 'en', ...body }),
  });
  if (answer.status >= 300) throw new Error(answer.text);
  const { app_code } = (answer.body as { data: App }).data;
  // Its name is free again for the next test.
  onTestFinished(async () => void (await ask(`${apps}/${app_code}`, { method: 'DELETE', headers })));
  return app_code;
}

const chat = ({ server }: World, app: string, more: object = {}, init: RequestInit = {}): Promise<Response> =>
  fetch(`${server.url}/api/v2/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'demo/chat',
      messages: 'What is up?',
      chat_mode: 'chat_app',
      chat_param: app,
      ...more,
    }),
    ...init,
  });

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
  readonly error?: { readonly code: string };
}

async function streamed(response: Response): Promise<{ text: string; error: string | undefined }> {
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  const chunks = lines.map((line) => JSON.parse(line.slice('data: '.length)) as Chunk);
  const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
  return { text, error: chunks.find(({ error }) => error)?.error?.code };
}

interface Block {
  readonly tag: string;
  readonly records: readonly Record<string, unknown>[];
}

const blocksIn = (text: string): Block[] =>
  [...text.matchAll(/```(agent-\w+)\n(.*)\n```/g)].map(([, tag = '', json = '']) => ({
    tag,
    records: JSON.parse(json) as Record<string, unknown>[],
  }));

const runsOf = async ({ owner }: World, query: string): Promise<RunSummary[]> =>
  (await owner.data<{ runs: RunSummary[] }>('GET', `/runs?${query}`)).runs;

async function logsOf({ owner }: World, run: string): Promise<string[]> {
  const { events } = await owner.data<{ events: RunEvent[] }>('GET', `/runs/${run}/events`);
  return events.flatMap((event) => (event.kind === 'log' ? [event.text] : []));
}

describe('apps whose agents answer', () => {
  test('one agent uses a flow, whose run is found below the run of the chat; every step is in the log', async () => {
    const prompt_template = script('call price {"article": "A cup"}', '---', 'say It says: $tool');
    const details = [agentNamed('Ada', { prompt_template, resources: priceTool })];
    const app = await makeApp(world, { team_mode: 'single_agent', details });
    const { text, error } = await streamed(await chat(world, app));
    expect(error).toBeUndefined();
    expect(blocksIn(text)).toMatchObject([
      {
        tag: 'agent-messages',
        records: [
          { sender: 'Ada', receiver: 'User', model: 'demo/chat', markdown: 'It says: A cup costs 5' },
        ],
      },
      { tag: 'agent-plans', records: [{ agent: 'Ada', status: 'complete' }] },
    ]);
    const [run] = await runsOf(world, 'limit=1');
    expect(run).toMatchObject({ flow: `app:${app}`, source: 'chat', status: 'ok' });
    expect(await runsOf(world, `parent=${run?.run}`)).toMatchObject([{ flow: 'price', status: 'ok' }]);
    expect(await logsOf(world, run?.run ?? '')).toEqual([
      'Ada asked demo/chat',
      'Ada uses price',
      'price answered',
      'Ada asked demo/chat',
    ]);
  });

  test('a team makes a plan; each of its parts is a plan of the answer, the report its last message', async () => {
    const details = [
      agentNamed('Ada', { prompt_template: script('say I looked.') }),
      agentNamed('Bob', {
        prompt_template: script('call price {"article": "Tea"}', '---', 'say $tool'),
        resources: priceTool,
      }),
    ];
    const app = await makeApp(world, { team_mode: 'auto_plan', details });
    const { text, error } = await streamed(await chat(world, app));
    expect(error).toBeUndefined();
    const blocks = blocksIn(text);
    expect(blocks.map(({ tag }) => tag).sort()).toEqual(['agent-messages', 'agent-plans', 'agent-plans']);
    const plans = blocks.flatMap(({ tag, records }) => (tag === 'agent-plans' ? records : []));
    expect(plans.map(({ num, agent, status }) => ({ num, agent, status }))).toEqual(
      expect.arrayContaining([
        { num: 1, agent: 'Ada', status: 'complete' },
        { num: 2, agent: 'Bob', status: 'complete' },
      ]),
    );
    const bob = plans.find(({ agent }) => agent === 'Bob');
    expect(blocksIn(String(bob?.['markdown']))[0]?.records.at(-1)).toMatchObject({
      sender: 'Bob',
      receiver: 'Planner',
      markdown: 'Tea costs 5',
    });
    const report = blocks.at(-1)?.records[0];
    expect(report).toMatchObject({ sender: 'Planner', receiver: 'User' });
    expect(report?.['markdown']).toContain('Tea costs 5');
  });

  test('a flow can be the team', async () => {
    const app = await makeApp(world, { team_mode: 'awel_layout', team_context: { uid: 'greet' } });
    const { text } = await streamed(await chat(world, app, { messages: 'hi' }));
    expect(blocksIn(text)[0]?.records[0]).toMatchObject({ sender: 'Team', markdown: 'Hello, you said hi' });
    const plain = await chat(world, app, { messages: 'hi', enable_vis: false, stream: false });
    expect(await plain.json()).toMatchObject({ choices: [{ message: { content: 'Hello, you said hi' } }] });
  });
});

test('the example answers a chat with the help of another example', async () => {
  const server = await startServer({ flows: copyOfExamples() });
  onTestFinished(() => discard(server));
  const response = await fetch(`${server.url}/api/v2/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'flow:agent_example', messages: [{ role: 'user', content: 'Hi' }] }),
  });
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  expect(choices[0]?.message.content).toBe('The tool says: Hello, Ada, your age is 36');
});

describe('what holds agents back', () => {
  const talker = {
    team_mode: 'single_agent',
    details: [
      agentNamed('Ada', {
        prompt_template: script('pace 100', 'say one two three four five six seven eight nine ten'),
      }),
    ],
  };

  test('a budget of the day that is used up refuses the next answer before it begins', async () => {
    const app = await makeApp(world, talker);
    const budgets = { apps: { [app]: { tokens: 60 } } };
    expect(await setBudgets(budgets)).toEqual({ answer: {}, keys: {}, ...budgets });
    const first = await streamed(await chat(world, app, { enable_vis: false }));
    expect(first.error).toBeUndefined();
    expect(first.text).toContain('ten');
    const second = await chat(world, app);
    expect(second.status).toBe(429);
    expect(await second.json()).toMatchObject({ err_code: 'agent_budget' });
    const unread = await world.owner.api('PUT', '/budgets', { apps: { [app]: { tokens: -1 } } });
    expect(unread.status).toBe(400);
  });

  test('what the key of a chat may use in a day holds for all apps', async () => {
    const app = await makeApp(world, { team_mode: 'single_agent' });
    await setBudgets({ keys: { '*': { steps: 1 } } });
    // Another one than that of the tests before.
    const made = { name: 'caller', scopes: ['chat'] };
    const { key } = await world.owner.data<CreatedKey>('POST', '/keys', made);
    const caller = { ...world, server: { ...world.server, key } };
    expect((await streamed(await chat(caller, app))).error).toBeUndefined();
    const second = await chat(caller, app);
    expect(second.status).toBe(429);
    expect(await second.text()).toContain('The key caller today');
  });

  test('a budget of an answer ends it in mid-stream, with a coded error behind the text so far', async () => {
    const app = await makeApp(world, talker);
    await setBudgets({ answer: { timeMs: 700 } });
    const { text, error } = await streamed(await chat(world, app, { enable_vis: false }));
    expect(text).toMatch(/^one two/);
    expect(text).not.toContain('ten');
    expect(error).toBe('agent_budget');
    const [run] = await runsOf(world, 'limit=1');
    expect(run).toMatchObject({ status: 'failed', error: { code: 'agent_budget' } });
  });

  test('a client that goes away ends the run and its tools', async () => {
    const details = [agentNamed('Ada', { prompt_template: script('say Wait.', 'wait 60000') })];
    const app = await makeApp(world, { team_mode: 'single_agent', details });
    const controller = new AbortController();
    const response = await chat(world, app, {}, { signal: controller.signal });
    await response.body?.getReader().read();
    controller.abort();
    await eventually(async () =>
      expect(await runsOf(world, 'limit=1')).toMatchObject([{ status: 'cancelled' }]),
    );
  });
});

test('live flows are tools for MCP clients', async () => {
  const { server } = world;
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${server.key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(['greet-trigger', 'price-trigger']);
  const result = await client.callTool({ name: 'price', arguments: { article: 'Tea' } });
  expect(result.content).toEqual([{ type: 'text', text: 'Tea costs 5' }]);
});
