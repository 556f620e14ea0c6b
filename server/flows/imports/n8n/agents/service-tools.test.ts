import { expect, test } from 'vitest';
import { check, formatFlow } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import type { ImportReport } from '#shared/import-report.ts';
import { flowText } from '../../../../admin/cli/testing/temp-project.ts';
import {
  accounted,
  catalog,
  ELSEWHERE,
  importedShort,
  type Node,
  people,
  post,
  rl,
  sheet,
  table,
} from '../testing/service-bed.ts';

/** Services as tools of agents: flows that take what the model fills in. */

async function importedTools(
  tools: Record<string, Node>,
): Promise<{ flows: readonly Flow[]; report: ImportReport }> {
  const short = {
    nodes: {
      Chat: ['chatTrigger@1.1'] as const,
      Agent: ['agent@2'] as const,
      Model: ['lmChatOpenAi@1.2', { model: rl('gpt-4o') }] as const,
      ...Object.fromEntries(Object.entries(tools).map(([name, node]) => [name, accounted(node)])),
    },
    wires: [
      'Chat > Agent',
      'Model ai_languageModel> Agent',
      ...Object.keys(tools).map((name) => `${name} ai_tool> Agent`),
    ],
  };
  return importedShort(short);
}

const peopleTool: Node = [
  'googleSheetsTool@4.5',
  {
    operation: 'append',
    ...sheet,
    descriptionType: 'manual',
    toolDescription: 'Writes down a person.',
    columns: {
      mappingMode: 'defineBelow',
      value: {
        Name: "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('Name', `Who it is`, 'string') }}",
        Age: "={{ $fromAI('age', 'In years', 'number', 7) }}",
        Town: "=in {{ $fromAI('town').trim() }}",
      },
    },
  },
];

test('tools of services are flows that take what the model fills in', async () => {
  const { flows, report } = await importedTools({
    People: peopleTool,
    Mail: [
      'gmailTool@2.1',
      { sendTo: "={{ $fromAI('To') }}", subject: 'Hi', message: "={{ $fromAI('Message') }}" },
    ],
    Events: [
      'googleCalendarTool@1.3',
      { operation: 'getAll', calendar: rl('primary'), timeMin: "={{ $fromAI('from') }}" },
    ],
    Records: [
      'airtableTool@2.1',
      { operation: 'search', ...table, filterByFormula: "={{ $fromAI('formula') }}" },
    ],
    Base: [
      'postgresTool@2.6',
      { operation: 'executeQuery', query: "=SELECT * FROM a WHERE b = '{{ $fromAI('b') }}'" },
    ],
    Web: [
      'httpRequestTool@4.2',
      {
        url: "=https://example.com/{{ $fromAI('what') }}",
        sendHeaders: true,
        headerParameters: { parameters: [{ name: 'x', value: 'y' }] },
      },
    ],
    Tell: ['slackTool@2.3', { select: 'channel', channelId: rl('C1'), text: "={{ $fromAI('text') }}" }],
  });
  expect(report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  expect(flows.map(({ id }) => id)).toEqual([
    'job',
    'job_people',
    'job_mail',
    'job_events',
    'job_records',
    'job_base',
    'job_web',
    'job_tell',
  ]);
  const known = { routes: [], variables: [], secrets: undefined };
  const found = flows.flatMap((flow) => check(flow, catalog, known));
  expect(found.filter(({ severity, code }) => severity === 'error' && !ELSEWHERE.has(code))).toEqual([]);
  const agent = Object.values(flows[0]?.nodes ?? {}).find(({ operator }) => operator === 'agent.run');
  expect(JSON.stringify(agent?.params)).toContain(
    '{"type":"flow","name":"people","value":{"flow":"job_people","description":"Writes down a person."}}',
  );
  const [start] = Object.values(flows[1]?.nodes ?? {});
  expect(start?.params).toEqual({
    input: {
      type: 'object',
      properties: {
        Name: { type: 'string', description: 'Who it is' },
        age: { type: 'number', description: 'In years', default: 7 },
        town: { type: 'string' },
      },
      required: ['Name', 'town'],
    },
  });
});

test.each([
  ['an operation that is not done', { operation: 'share', ...sheet }],
  [
    'a description that is worked out',
    { operation: 'clear', ...sheet, range: '={{ $fromAI("a", $json.b) }}' },
  ],
  ['a value without a name', { operation: 'create', documentId: rl('D'), title: '={{ $fromAI() }}' }],
])('%s is no tool, and told', async (_, parameters) => {
  const { flows, report } = await importedTools({ Tool: ['googleSheetsTool@4.5', parameters] });
  expect(flows).toHaveLength(1);
  expect(report.changes.filter(({ effect }) => effect === 'lost')).not.toEqual([]);
});

test('what the model fills in is written', async () => {
  const cells: unknown[] = [];
  const { flows } = await importedTools({ People: peopleTool });
  const [, tool] = flows;
  const caller = flowText(
    'job',
    {
      start: { operator: 'trigger.http', params: { path: '/job', methods: ['POST'], auth: 'none' } },
      call: { operator: 'flow.call', params: { flow: tool?.id ?? '', input: '{{ input }}' } },
    },
    ['start > call'],
  );
  await post(
    [formatFlow(tool as Flow), caller],
    { Name: 'Ada', age: 36, town: ' London ' },
    ({ method, body }) => {
      if (method === 'GET') return { range: 'People!A1:C1', values: people.slice(0, 1) };
      cells.push(...(body as { values: unknown[] }).values);
      return { updates: { updatedRows: 1 } };
    },
  );
  expect(cells).toEqual([['Ada', 36, 'in London']]);
});
