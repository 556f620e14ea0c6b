import { expect, test } from 'vitest';
import { formatFlow } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import { type OfferedTool, startToolServer } from '../../../../chat/agents/testing/tool-server.ts';
import { behindItems, errorsIn, importedShort, postTo, rl, shareServer } from '../testing/service-bed.ts';

shareServer();

/** Nodes and tools of n8n that call servers of MCP. */

const account = { credentials: { mcpClientHttpApi: { id: '1', name: 'Account' } } };

const tools: OfferedTool[] = [
  {
    name: 'add',
    inputSchema: { type: 'object' },
    run: ({ a, b }) => ({
      content: [{ type: 'text', text: JSON.stringify({ sum: Number(a) + Number(b) }) }],
    }),
  },
  {
    name: 'other',
    description: 'Another one.',
    inputSchema: { type: 'object' },
    run: () => ({ content: [] }),
  },
];

async function answered(
  node: readonly [string, Record<string, unknown>],
  items: unknown = [{ a: 1 }, { a: 2 }],
): Promise<unknown> {
  const { flows, report } = await importedShort(behindItems([...node, account]));
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  expect(errorsIn(flows)).toEqual([]);
  const { url } = await startToolServer(tools);
  return postTo(url, [formatFlow(flows[0] as Flow)], items);
}

test('the community’s node calls a tool once, at the address of its credential', async () => {
  const result = { content: [{ type: 'text', text: '{"sum":3}' }] };
  expect(
    await answered([
      'n8n-nodes-mcp.mcpClient@1',
      {
        connectionType: 'http',
        operation: 'executeTool',
        toolName: 'add',
        toolParameters: '={ "a": {{ $json.a }}, "b": 2 }',
      },
    ]),
  ).toEqual([{ result }]);
  expect(
    await answered([
      'n8n-nodes-mcp.mcpClient@1',
      {
        connectionType: 'sse',
        operation: 'executeTool',
        toolName: '={{ "add" }}',
        toolParameters: '{"a": 1, "b": 2}',
      },
    ]),
  ).toEqual([{ result }]);
});

test('the community’s node lists tools in its own form', async () => {
  expect(await answered(['n8n-nodes-mcp.mcpClient@1', { connectionType: 'http' }])).toEqual([
    {
      tools: [
        { name: 'add', description: 'Execute the add tool', schema: { type: 'object' } },
        { name: 'other', description: 'Another one.', schema: { type: 'object' } },
      ],
    },
  ]);
});

test('n8n’s own node calls a tool for each item, and reads texts that are JSON', async () => {
  const parameters = { mappingMode: 'defineBelow', value: { a: '={{ $json.a }}', b: 2 } };
  expect(
    await answered([
      'mcpClient@1.1',
      {
        endpointUrl: 'https://mcp.example.com/mcp',
        authentication: 'headerAuth',
        tool: rl('add'),
        parameters,
      },
    ]),
  ).toEqual([
    { content: [{ type: 'text', text: { sum: 3 } }] },
    { content: [{ type: 'text', text: { sum: 4 } }] },
  ]);
});

test('a server that was a program is told to be needed over HTTP', async () => {
  const { report, flows } = await importedShort(
    behindItems([
      'n8n-nodes-mcp.mcpClient@1',
      { operation: 'executeTool', toolName: 'add' },
      { credentials: { mcpClientApi: { id: '1', name: 'Brave' } } },
    ]),
  );
  expect(errorsIn(flows)).toEqual([]);
  expect(report.needs).toContainEqual(
    expect.objectContaining({
      kind: 'connection',
      name: 'brave',
      message: expect.stringContaining('kind http'),
    }),
  );
  expect(report.changes.map(({ message }) => message).join()).toContain('as a program');
});

test.each([
  ['no tool', { operation: 'executeTool' }],
  ['an unknown operation', { operation: 'subscribe' }],
])('%s is a placeholder', async (_, parameters) => {
  const { report } = await importedShort(behindItems(['n8n-nodes-mcp.mcpClient@1', parameters]));
  expect(report.nodes.find(({ name }) => name === 'Node')).toMatchObject({ word: 'placeholder' });
});

interface Agent {
  readonly agent: { readonly tools?: readonly { readonly name: string; readonly value: unknown }[] };
}

/** The tools that an agent gets, and the flows beside it. */
async function toolsOf(
  given: Record<string, [kind: string, parameters: Record<string, unknown>, more?: object]>,
) {
  const { flows, report } = await importedShort({
    nodes: {
      Chat: ['chatTrigger@1.1'],
      Agent: ['agent@2'],
      Model: ['lmChatOpenAi@1.2', { model: rl('gpt-4o') }],
      ...Object.fromEntries(
        Object.entries(given).map(([name, [kind, parameters, more]]) => [
          name,
          [kind, parameters, { ...account, ...more }] as const,
        ]),
      ),
    },
    wires: [
      'Chat > Agent',
      'Model ai_languageModel> Agent',
      ...Object.keys(given).map((name) => `${name} ai_tool> Agent`),
    ],
  });
  expect(errorsIn(flows)).toEqual([]);
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  const run = Object.values(flows[0]?.nodes ?? {}).find(({ operator }) => operator === 'agent.run');
  const agent = run?.params?.['agent'] as Agent['agent'];
  return { tools: agent.tools?.map(({ name, value }) => [name, value]), flows, report };
}

const TOOL = 'n8n-nodes-mcp.mcpClientTool@1';
const listing = { connectionType: 'http' };
const calling = {
  connectionType: 'http',
  operation: 'executeTool',
  toolName: "={{ $fromAI('tool', 'The tool') }}",
  toolParameters: "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('Tool_Parameters', ``, 'json') }}",
};

test('an agent knows the tools of a server that its model listed by one node and called by another', async () => {
  const { tools: known } = await toolsOf({ List: [TOOL, listing], Call: [TOOL, calling] });
  expect(known).toEqual([['call', { connection: 'account' }]]);
  const apart = await toolsOf({
    List: [TOOL, listing],
    Call: [TOOL, calling, { credentials: { mcpClientApi: { id: '2', name: 'Other' } } }],
  });
  expect(apart.tools).toEqual([
    ['list', { connection: 'account' }],
    ['call', { connection: 'other' }],
  ]);
});

test('a tool that the node names is the only one, and one with its own arguments is a flow', async () => {
  const search = { ...calling, toolName: 'search' };
  const fixed = {
    ...search,
    toolParameters: "={{ { q: $fromAI('q', 'What to find', 'string'), limit: 3 } }}",
  };
  const { tools: known, flows } = await toolsOf({ Search: [TOOL, search], Few: [TOOL, fixed] });
  expect(known).toEqual([
    ['search', { connection: 'account', only: ['search'] }],
    ['few', { flow: 'job_few', description: expect.any(String) }],
  ]);
  const { nodes } = flows.find(({ id }) => id === 'job_few') as Flow;
  expect(Object.values(nodes)).toContainEqual(
    expect.objectContaining({
      operator: 'mcp.call',
      params: {
        connection: 'account',
        name: 'search',
        arguments: '{{ { q: input?.["q"], limit: 3 } }}',
      },
    }),
  );
});

test('n8n’s own tool keeps its sign-in and the choice of tools', async () => {
  const { tools: known, report } = await toolsOf({
    Open: [
      'mcpClientTool@1.2',
      { endpointUrl: 'https://a.example.com/mcp', include: 'selected', includeTools: ['x'] },
    ],
    Bearer: ['mcpClientTool@1', { sseEndpoint: 'https://b.example.com/sse', authentication: 'bearerAuth' }],
    Header: ['mcpClientTool@1', { sseEndpoint: 'https://c.example.com/sse', authentication: 'headerAuth' }],
    Except: [
      'mcpClientTool@1.2',
      { endpointUrl: 'https://d.example.com/mcp', include: 'except', excludeTools: ['y'] },
    ],
  });
  expect(known).toEqual([
    ['open', { url: 'https://a.example.com/mcp', only: ['x'] }],
    [
      'bearer',
      { url: 'https://b.example.com/sse', auth: { type: 'bearer', secret: { $secret: 'account' } } },
    ],
    ['header', { connection: 'account' }],
    ['except', { url: 'https://d.example.com/mcp' }],
  ]);
  const told = report.changes
    .map(({ effect, message, before }) => `${effect} ${message} ${before ?? ''}`)
    .join('\n');
  expect(told).toContain('lost “Except” left out some tools');
  expect(told).toContain('has to have the address of the server of “Header”. https://c.example.com/sse');
});
