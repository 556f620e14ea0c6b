import { expect, test } from 'vitest';
import { check } from '#engine/check';
import { loadOperators } from '../../../base/authored/load-operators.ts';
import { withServices } from '../../../integrations/services/services.ts';
import { shippedRegistry } from '../../../integrations/services/shipped.ts';
import { givenFile, readFiles } from '../import-files.ts';
import { n8nFile, type Short } from './testing/short.ts';

/** Nodes with their usual params become nodes that `check` accepts, behind one item and behind a list. */
const { registry } = await loadOperators({ builtIn: true });
const { catalog } = withServices(registry, shippedRegistry());

const usual: Readonly<Record<string, readonly [kind: string, parameters: Record<string, unknown>]>> = {
  mail: [
    'emailSend@2.1',
    {
      fromEmail: 'a@example.com',
      toEmail: '={{ $json.to }}',
      subject: 'Hi',
      emailFormat: 'text',
      text: '=Hi {{ $json.name }}',
    },
  ],
  query: [
    'postgres@2.5',
    {
      operation: 'executeQuery',
      query: "=SELECT * FROM a WHERE b = '{{ $json.b }}' AND c = $1",
      options: { queryReplacement: '={{ $json.c }}' },
    },
  ],
  select: [
    'postgres@2.5',
    {
      operation: 'select',
      schema: { __rl: true, value: 'public' },
      table: { __rl: true, value: 'a' },
      limit: 5,
      where: { values: [{ column: 'id', condition: 'equal', value: '={{ $json.id }}' }] },
    },
  ],
  insert: [
    'mySql@2.4',
    {
      operation: 'insert',
      table: { __rl: true, value: 'a' },
      columns: { mappingMode: 'defineBelow', value: { id: '={{ $json.id }}' } },
    },
  ],
  redis: ['redis@1', { operation: 'get', key: '={{ $json.k }}', propertyName: 'x' }],
  telegram: ['telegram@1.2', { chatId: '={{ $json.chat }}', text: 'Hi', additionalFields: {} }],
  slack: [
    'slack@2.2',
    {
      select: 'channel',
      channelId: { __rl: true, value: 'C1' },
      text: '=Hi {{ $json.a }}',
      otherOptions: {},
    },
  ],
  gmail: [
    'gmail@2.1',
    { sendTo: 'a@example.com', subject: '=Re: {{ $json.s }}', message: '=<b>{{ $json.m }}</b>', options: {} },
  ],
  read_sheet: [
    'googleSheets@4.5',
    {
      documentId: { __rl: true, mode: 'id', value: 'D' },
      sheetName: { __rl: true, mode: 'list', value: 'gid=0', cachedResultName: 'People' },
      filtersUI: { values: [{ lookupColumn: 'id', lookupValue: '={{ $json.id }}' }] },
    },
  ],
  append_sheet: [
    'googleSheets@4.5',
    {
      operation: 'append',
      documentId: { __rl: true, mode: 'id', value: 'D' },
      sheetName: { __rl: true, mode: 'name', value: 'People' },
      columns: {
        mappingMode: 'defineBelow',
        value: { name: '={{ $json.name }}' },
        schema: [{ id: 'id' }, { id: 'name' }],
      },
    },
  ],
  download: ['googleDrive@3', { operation: 'download', fileId: { __rl: true, value: '={{ $json.id }}' } }],
  airtable: [
    'airtable@2.1',
    { operation: 'search', base: { __rl: true, value: 'b' }, table: { __rl: true, value: 't' } },
  ],
  notion: [
    'notion@2.2',
    { resource: 'databasePage', operation: 'getAll', databaseId: { __rl: true, value: 'd' } },
  ],
  discord: [
    'discord@2',
    { resource: 'message', operation: 'send', channelId: { __rl: true, value: 'c' }, content: 'x' },
  ],
  issue: [
    'github@1',
    {
      resource: 'issue',
      operation: 'create',
      owner: { __rl: true, value: 'o' },
      repository: { __rl: true, value: 'r' },
      title: 't',
      body: 'b',
    },
  ],
  rows: [
    'supabase@1',
    {
      operation: 'getAll',
      tableId: 't',
      filters: { conditions: [{ keyName: 'id', condition: 'eq', keyValue: '={{ $json.id }}' }] },
    },
  ],
  event: [
    'googleCalendar@1.3',
    {
      calendar: { __rl: true, value: 'primary' },
      start: '={{ $json.at }}',
      end: '={{ $json.to }}',
      additionalFields: { summary: 'x' },
    },
  ],
  csv: ['extractFromFile@1', { operation: 'csv' }],
  text_of_file: ['extractFromFile@1', { operation: 'text' }],
  to_file: ['convertToFile@1.1', { operation: 'csv', options: { fileName: 'a.csv' } }],
  text_to_file: ['convertToFile@1.1', { operation: 'toText', sourceProperty: 'a' }],
  feed: ['rssFeedRead@1', { url: 'https://example.com/feed' }],
  xml: ['xml@1', { dataPropertyName: 'data' }],
  to_markdown: ['markdown@1', { html: '={{ $json.html }}' }],
  extract: [
    'informationExtractor@1',
    {
      text: '={{ $json.t }}',
      attributes: { attributes: [{ name: 'city', description: 'The city', required: true }] },
    },
  ],
  classify: [
    'textClassifier@1',
    {
      inputText: '={{ $json.t }}',
      categories: { categories: [{ category: 'A', description: 'a' }, { category: 'B' }] },
    },
  ],
  sentiment: ['sentimentAnalysis@1', { inputText: '={{ $json.t }}' }],
  summary: ['chainSummarization@2', {}],
  store: ['vectorStorePinecone@1', { mode: 'insert', pineconeIndex: { __rl: true, value: 'i' } }],
  load: ['vectorStoreQdrant@1', { mode: 'load', prompt: '={{ $json.q }}' }],
  ask: ['chainRetrievalQa@1', { promptType: 'define', text: '={{ $json.q }}' }],
  openai: [
    'openAi@1.8',
    {
      modelId: { __rl: true, value: 'gpt-4o' },
      messages: { values: [{ content: '=Say {{ $json.a }}' }, { role: 'system', content: 'Be brief.' }] },
    },
  ],
  agent: ['agent@2', { promptType: 'define', text: '={{ $json.q }}' }],
  chain: ['chainLlm@1.5', { promptType: 'define', text: '={{ $json.q }}' }],
  rename: ['renameKeys@1', { keys: { key: [{ currentKey: 'a', newKey: 'b' }] } }],
  stop: ['stopAndError@1', { errorMessage: '=No {{ $json.a }}' }],
  wait: ['wait@1', { amount: 3, unit: 'hours' }],
  until: ['wait@1.1', { resume: 'specificTime', dateTime: '2030-01-01T00:00:00Z' }],
  call: ['executeWorkflow@1.1', { workflowId: { __rl: true, value: 'abc', cachedResultName: 'Sub' } }],
  uuid: ['crypto@1', { action: 'generate' }],
  switch: [
    'switch@2',
    {
      dataType: 'string',
      value1: '={{ $json.a }}',
      rules: { rules: [{ value2: 'x' }, { operation: 'contains', value2: 'y', output: 1 }] },
      fallbackOutput: 2,
    },
  ],
  function_item: ['functionItem@1', { functionCode: 'item.a = 1;\nreturn item;' }],
  upload: [
    'httpRequest@4.2',
    {
      method: 'POST',
      url: 'https://example.com',
      sendBody: true,
      contentType: 'multipart-form-data',
      bodyParameters: {
        parameters: [
          { parameterType: 'formBinaryData', name: 'f', inputDataFieldName: 'data' },
          { name: 'x', value: 'y' },
        ],
      },
    },
  ],
  file_answer: [
    'httpRequest@4.2',
    { url: 'https://example.com', options: { response: { response: { responseFormat: 'file' } } } },
  ],
};

/** What only the server can judge. */
const ELSEWHERE = new Set([
  'unknown-connection',
  'unknown-secret',
  'unknown-flow',
  'unknown-model',
  'connection-not-granted',
  'secret-not-granted',
]);

async function faultsOf(short: Short): Promise<string[]> {
  const file = { path: 'a.json', bytes: Buffer.from(JSON.stringify(n8nFile('One', short))) };
  const [read] = (await readFiles([givenFile(file)], { catalog, taken: new Set(), open: true })).flows;
  const placeholders = read?.report.nodes
    .filter(({ word }) => word === 'placeholder')
    .map(({ name, difference }) => `${name}: ${difference}`);
  const lost = read?.report.changes
    .filter(({ effect }) => effect === 'lost')
    .map(({ message, before }) => `${message} ${before}`);
  const found = (read?.drafts ?? []).flatMap(({ flow }) =>
    check(flow, catalog, { routes: [], variables: [], secrets: undefined }),
  );
  const errors = found.filter(({ severity, code }) => severity === 'error' && !ELSEWHERE.has(code));
  return [
    ...(placeholders ?? []),
    ...(lost ?? []),
    ...errors.map(({ node, field, message }) => `${node} ${field}: ${message}`),
  ];
}

const start = ['manualTrigger@1'] as const;
const list = ['code@2', { jsCode: 'return [{ json: { a: 1 } }, { json: { a: 2 } }];' }] as const;

test.each(Object.entries(usual))('%s', async (_, node) => {
  expect(await faultsOf({ nodes: { Start: start, Node: node }, wires: ['Start > Node'] })).toEqual([]);
  expect(
    await faultsOf({
      nodes: { Start: start, List: list, Node: node },
      wires: ['Start > List', 'List > Node'],
    }),
  ).toEqual([]);
});

test.each([
  [
    'a form',
    [
      'formTrigger@2.2',
      {
        path: 'x',
        formTitle: 'T',
        formFields: {
          values: [
            { fieldLabel: 'Name', requiredField: true },
            { fieldLabel: 'Kind', fieldType: 'dropdown', fieldOptions: { values: [{ option: 'a' }] } },
          ],
        },
      },
    ],
  ],
  ['a chat', ['chatTrigger@1.1', {}]],
  [
    'a schedule',
    [
      'scheduleTrigger@1.2',
      {
        rule: {
          interval: [
            { field: 'hours', hoursInterval: 6 },
            { field: 'weeks', triggerAtDay: [1, 3], triggerAtHour: 9 },
          ],
        },
      },
    ],
  ],
  ['a cron of old', ['cron@1', { triggerTimes: { item: [{ mode: 'everyDay', hour: 7 }] } }]],
  ['a mailbox', ['emailReadImap@2', {}]],
  ['a failure', ['errorTrigger@1', {}]],
  ['a call', ['executeWorkflowTrigger@1.1', { inputSource: 'passthrough' }]],
  ['Telegram', ['telegramTrigger@1.2', { updates: ['message'] }]],
  [
    'a mail',
    [
      'gmailTrigger@1.2',
      { pollTimes: { item: [{ mode: 'everyX', value: 5, unit: 'minutes' }] }, filters: { sender: 'a@b.c' } },
    ],
  ],
  ['a whole mail', ['gmailTrigger@1.2', { simple: false, options: { downloadAttachments: true } }]],
  [
    'a file',
    [
      'googleDriveTrigger@1',
      { triggerOn: 'specificFolder', folderToWatch: { __rl: true, value: 'F' }, event: 'fileCreated' },
    ],
  ],
  ['a folder', ['googleDriveTrigger@1', { triggerOn: 'anyFileFolder', event: 'folderUpdated', options: {} }]],
  [
    'a row',
    [
      'googleSheetsTrigger@1',
      {
        event: 'rowAdded',
        documentId: { __rl: true, mode: 'list', value: 'D' },
        sheetName: { __rl: true, mode: 'list', value: 'gid=0', cachedResultName: 'People' },
      },
    ],
  ],
  [
    'an event',
    ['googleCalendarTrigger@1', { calendarId: { __rl: true, value: 'a@b.c' }, triggerOn: 'eventUpdated' }],
  ],
  ['a page', ['notionTrigger@1', { databaseId: { __rl: true, value: 'd' } }]],
  ['a record', ['airtableTrigger@1', { baseId: 'appX', tableId: 'tblX', triggerField: 'Created' }]],
  [
    'a message of Slack',
    ['slackTrigger@1', { trigger: ['message'], channelId: { __rl: true, value: 'C1' } }],
  ],
] as const)('%s starts a flow', async (_, trigger) => {
  const set = [
    'set@3.4',
    { assignments: { assignments: [{ name: 'a', type: 'string', value: '={{ $json.a }}' }] } },
  ] as const;
  expect(await faultsOf({ nodes: { T: trigger as never, Set: set }, wires: ['T > Set'] })).toEqual([]);
});

test('what nothing stands for is told', async () => {
  const odd = { nodes: { Start: start, Node: ['acuityScheduling', {}] as never }, wires: ['Start > Node'] };
  expect(await faultsOf(odd)).toEqual([
    expect.stringContaining('Node: '),
    expect.stringContaining('n8n.acuityScheduling'),
  ]);
});

test('what only code can say stands before the node in its body', async () => {
  const text = '={{ (() => { return $json.a + $now.toISO(); })() }}';
  const faults = await faultsOf({
    nodes: { Start: start, List: list, Agent: ['agent@2', { promptType: 'define', text }] },
    wires: ['Start > List', 'List > Agent'],
  });
  expect(faults.filter((one) => !one.includes('unknown-model'))).toEqual([]);
});

test('an agent gets its model, memory, tools and parser', async () => {
  const short: Short = {
    nodes: {
      Chat: ['chatTrigger@1.1'],
      Agent: ['agent@2', { options: { systemMessage: 'Be brief.' } }],
      Model: ['lmChatOpenAi@1.2', { model: { __rl: true, value: 'gpt-4o' } }],
      Memory: ['memoryBufferWindow@1.3'],
      Parser: ['outputParserStructured@1.2', { jsonSchemaExample: '{"a": 1}' }],
      Sum: ['toolCalculator@1'],
      Web: ['toolHttpRequest@1.1', { url: 'https://example.com/{id}', toolDescription: 'Looks up.' }],
      Code: ['toolCode@1.1', { name: 'twice', description: 'Doubles.', jsCode: 'return query + query;' }],
      Docs: ['toolVectorStore@1', { name: 'docs' }],
      Store: ['vectorStorePinecone@1', { pineconeIndex: { __rl: true, value: 'i' } }],
      Embed: ['embeddingsOpenAi@1.2'],
    },
    wires: [
      'Chat > Agent',
      'Model ai_languageModel> Agent',
      'Memory ai_memory> Agent',
      'Parser ai_outputParser> Agent',
      'Sum ai_tool> Agent',
      'Web ai_tool> Agent',
      'Code ai_tool> Agent',
      'Docs ai_tool> Agent',
      'Store ai_vectorStore> Docs',
      'Embed ai_embedding> Store',
    ],
  };
  expect(await faultsOf(short)).toEqual([]);
});
