import { expect, test } from 'vitest';
import { PART_KINDS } from './agents/parts.ts';
import { importedShort, type Node } from './testing/service-bed.ts';
import type { Short } from './testing/short.ts';

/** What is not the same here, and cannot be, is told. */
const set: Node = ['set@3.4', { assignments: { assignments: [] } }];
const start: Node = ['manualTrigger@1', {}];
const list: Node = ['code@2', { jsCode: 'return [{ json: { n: 1 } }, { json: { n: 2 } }];' }];

async function told(short: Short): Promise<string> {
  const { report } = await importedShort(short);
  return report.changes
    .map(({ effect, node, message, before }) => [effect, node, message, before].join(' '))
    .join('\n');
}

/** A node behind a trigger, and what is told of it. */
const alone = async ([kind, parameters]: Node, more: Record<string, unknown> = {}): Promise<string> =>
  told({ nodes: { Start: start, It: [kind, parameters, more] }, wires: ['Start > It'] });

test('messages of a memory that are asked for whole', async () => {
  const messages = async (simplifyOutput: boolean): Promise<string> =>
    told({
      nodes: {
        Start: start,
        It: ['memoryManager@1.1', { mode: 'load', simplifyOutput }],
        Memory: ['memoryBufferWindow@1.3', {}],
      },
      wires: ['Start > It', 'Memory ai_memory> It'],
    });
  expect(await messages(false)).toContain('lost It It gave messages whole');
  expect(await messages(true)).not.toContain('whole');
});

test('a loop of batches that ends early there, by the output for errors', async () => {
  const nodes: Short['nodes'] = {
    Start: start,
    List: list,
    Loop: ['splitInBatches@3', { options: {} }],
    Set: [...set, { onError: 'continueErrorOutput' }],
    Bad: set,
  };
  const wires = ['Start > List', 'List > Loop', 'Loop.1 > Set', 'Set > Loop', 'Set.1 > Bad'];
  expect(await told({ nodes, wires })).toContain('nothing comes back (Set');
  expect(await told({ nodes, wires: [...wires, 'Bad > Loop'] })).not.toContain('nothing comes back');
});

test('a loop of batches that ends where a node gives no item', async () => {
  const nodes: Short['nodes'] = {
    Start: start,
    List: list,
    Loop: ['splitInBatches@3', { options: {} }],
    Code: ['code@2', { jsCode: 'return $input.all().filter((one) => one.json.n > 1);' }],
  };
  const wires = ['Start > List', 'List > Loop', 'Loop.1 > Code', 'Code > Loop'];
  expect(await told({ nodes, wires })).toContain('nothing comes back (Code');
});

test('a node that a round of batches may skip has what it gave in an earlier round there', async () => {
  const nodes: Short['nodes'] = {
    Start: start,
    List: list,
    Loop: ['splitInBatches@3', { options: {} }],
    If: [
      'if@2',
      {
        conditions: {
          combinator: 'and',
          conditions: [
            { leftValue: '={{ $json.n }}', rightValue: 1, operator: { type: 'number', operation: 'gt' } },
          ],
        },
      },
    ],
    Big: set,
    Read: [
      'set@3.4',
      {
        assignments: {
          assignments: [{ name: 'a', type: 'string', value: '={{ $("Big").first().json.a }}' }],
        },
      },
    ],
  };
  const wires = [
    'Start > List',
    'List > Loop',
    'Loop.1 > If',
    'If > Big',
    'Big > Read',
    'If.1 > Read',
    'Read > Loop',
  ];
  expect(await told({ nodes, wires })).toContain('changed Read In a round in which “Big” does not run');
});

const bySchedule: Node = [
  'scheduleTrigger@1.2',
  { rule: { interval: [{ field: 'days', triggerAtHour: 9 }] } },
];

test('times of day without a time zone are in UTC', async () => {
  const short: Short = { nodes: { Start: bySchedule, It: set }, wires: ['Start > It'] };
  expect(await told(short)).toContain('its times of day are in UTC');
  const zoned = { ...short, more: { settings: { timezone: 'Europe/Berlin' } } };
  expect(await told(zoned)).not.toContain('in UTC');
});

test.each<[string, Node, string]>([
  [
    'a number that is worked out',
    ['limit@1', { maxItems: '={{ $json.n }}' }],
    'lost It The setting maxItems',
  ],
  [
    'a pause between pages that is worked out',
    [
      'httpRequest@4.2',
      {
        url: 'https://example.com',
        options: {
          pagination: {
            pagination: {
              paginationMode: 'responseContainsNextURL',
              nextURL: '={{ $response.body.next }}',
              requestInterval: '={{ $json.ms }}',
            },
          },
        },
      },
    ],
    'lost It The pause between pages',
  ],
  [
    'a certificate of its own',
    ['httpRequest@4.2', { url: 'https://example.com', provideSslCertificates: true }],
    'lost It A certificate of its own',
  ],
  [
    'an answer of a model as a whole',
    ['openAi@1.8', { modelId: 'gpt-x', messages: { values: [{ content: 'Hi' }] }, simplify: false }],
    'lost It It gave the whole answer',
  ],
  [
    'tools that the service has',
    [
      'openAi@2',
      {
        modelId: 'gpt-x',
        responses: { values: [{ content: 'Hi' }] },
        builtInTools: { webSearch: { searchContextSize: 'medium' } },
      },
    ],
    'lost It The setting builtInTools',
  ],
  [
    'a store that is emptied first',
    ['vectorStoreInMemory@1', { mode: 'insert', memoryKey: 'm', clearStore: true }],
    'lost It The setting clearStore',
  ],
  [
    'one transaction for all items',
    [
      'postgres@2.5',
      { operation: 'executeQuery', query: 'SELECT 1', options: { queryBatching: 'transaction' } },
    ],
    'lost It The statements of its items were one transaction',
  ],
])('%s', async (_, node, message) => {
  expect(await alone(node)).toContain(message);
});

test('a schema that cannot be read is told, and no other one is put in its place', async () => {
  const nodes: Short['nodes'] = {
    Start: start,
    Chain: ['chainLlm@1.7', { promptType: 'define', text: 'Hi', hasOutputParser: true }],
    Parser: ['outputParserStructured@1.2', { schemaType: 'manual', inputSchema: '={{ $json.schema }}' }],
  };
  const wires = ['Start > Chain', 'Parser ai_outputParser> Chain'];
  expect(await told({ nodes, wires })).toContain('lost Chain The form of its answers cannot be read');
  const { flows } = await importedShort({ nodes, wires });
  expect(JSON.stringify(flows)).toContain('"model.chat"');
});

test('the message of a stop is taken as it is, also for the first of several items', async () => {
  const nodes: Short['nodes'] = {
    Start: start,
    List: list,
    Stop: ['stopAndError@1', { errorMessage: '=The index of {{ $json.n }} is {{ $itemIndex }}' }],
  };
  const { flows } = await importedShort({ nodes, wires: ['Start > List', 'List > Stop'] });
  const stop = Object.values(flows[0]?.nodes ?? {}).find(({ operator }) => operator === 'logic.stop');
  expect(stop?.params?.['message']).toBe('The index of {{ input?.n }} is {{ 0 }}');
});

test('several conditions of Supabase hold one by one, as it is set there', async () => {
  const conditions = [
    { keyName: 'a', condition: 'eq', keyValue: '1' },
    { keyName: 'b', condition: 'gt', keyValue: '2' },
  ];
  const of = async (more: object): Promise<unknown> => {
    const node = { operation: 'getAll', tableId: 't', filters: { conditions }, ...more };
    const { flows } = await importedShort({
      nodes: { Start: start, It: ['supabase@1', node] },
      wires: ['Start > It'],
    });
    return Object.values(flows[0]?.nodes ?? {}).find(({ operator }) => operator === 'http.request')?.params?.[
      'query'
    ];
  };
  expect(await of({})).toEqual({ limit: 50, or: '(a.eq.1,b.gt.2)' });
  expect(await of({ matchType: 'allFilters' })).toEqual({ limit: 50, a: 'eq.1', b: 'gt.2' });
});

/** What a node becomes that has a row of its own in the table. */
const becomes: readonly (readonly [node: Node, operator: string, params: Record<string, unknown>])[] = [
  [
    ['aiTransform@1', { instructions: 'Double it', jsCode: 'return $input.all();' }],
    'code.run',
    { source: expect.stringContaining('return $input.all();') },
  ],
  [
    ['executionData@1', { dataToSave: { values: [{ key: 'order', value: '={{ $json.id }}' }] } }],
    'core.log',
    { message: { order: '{{ input?.id }}' } },
  ],
  [
    [
      'openAi@1.8',
      {
        resource: 'image',
        operation: 'analyze',
        modelId: 'gpt-x',
        text: '=What is {{ $json.a }}?',
        inputType: 'base64',
      },
    ],
    'model.chat',
    { model: 'openai/gpt-x', prompt: 'What is {{ input?.a }}?', files: '{{ compact([input?.["data"]]) }}' },
  ],
  [
    [
      'googleGemini@1',
      {
        resource: 'document',
        operation: 'analyze',
        modelId: 'models/g',
        text: 'Sum up',
        documentUrls: '={{ $json.url }}',
      },
    ],
    'http.request',
    { url: '{{ input?.url }}', response: 'file' },
  ],
  [['evaluation@4.7', { operation: 'setMetrics' }], 'core.map', { value: '{{ input }}' }],
  [['evaluation@4.7', { operation: 'checkIfEvaluating' }], 'logic.if', { condition: '{{ false }}' }],
  [['readPDF@1', {}], 'text.from-pdf', {}],
  [['spreadsheetFile@2', {}], 'data.read-xlsx', {}],
  [['spreadsheetFile@2', { fileFormat: 'csv' }], 'data.read-csv', {}],
  [['spreadsheetFile@2', { operation: 'toFile', fileFormat: 'csv' }], 'data.write-csv', { name: 'file.csv' }],
  [
    [
      'microsoftExcel@2',
      {
        resource: 'worksheet',
        operation: 'readRows',
        workbook: 'W',
        worksheet: 'S',
        useRange: true,
        range: 'A1:B9',
      },
    ],
    'http.request',
    {
      method: 'GET',
      url: `https://graph.microsoft.com/v1.0/me/drive/items/{{ urlEncode("W") }}/workbook/worksheets/{{ urlEncode("S") }}/range(address='A1:B9')`,
    },
  ],
  [
    ['googleTranslate@2', { text: '={{ $json.t }}', translateTo: 'de' }],
    'http.request',
    {
      method: 'POST',
      url: 'https://translation.googleapis.com/language/translate/v2',
      body: { q: '{{ input?.t }}', target: 'de' },
    },
  ],
  [
    [
      'n8n-nodes-pdfvector.pdfVector@1',
      {
        resource: 'invoice',
        operation: 'ask',
        inputType: 'url',
        url: 'https://example.com/a.pdf',
        question: 'Sum?',
      },
    ],
    'http.request',
    {
      url: 'https://global.pdfvector.com/api/invoice/ask',
      body: { url: 'https://example.com/a.pdf', model: 'auto', question: 'Sum?' },
    },
  ],
  [
    ['n8n-nodes-rapiwa.rapiwa@1', { number: '+880 17', message: '=Hi {{ $json.a }}' }],
    'http.request',
    {
      url: 'https://app.rapiwa.com/api/send-message',
      body: expect.objectContaining({
        message_type: 'text',
        productOperation: 'welcome',
        message: 'Hi {{ input?.a }}',
      }),
    },
  ],
];

test.each(becomes.map(([node, operator, params]) => [node[0], operator, node, params] as const))(
  '%s becomes %s',
  async (_kind, operator, [kind, parameters], params) => {
    const { flows, report } = await importedShort({
      nodes: { Start: start, It: [kind, parameters] },
      wires: ['Start > It'],
    });
    expect(report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
    const made = Object.values(flows[0]?.nodes ?? {}).filter((node) => node.operator === operator);
    expect(made.map((node) => node.params ?? {})).toContainEqual(expect.objectContaining(params));
  },
);

test('parts that a knowledge space has are told with it', async () => {
  const nodes: Short['nodes'] = {
    Start: start,
    Ask: ['chainRetrievalQa@1.4', { promptType: 'define', text: 'Why?' }],
    Model: ['lmChatOpenAi@1', {}],
    Retriever: ['retrieverVectorStore@1', { topK: 4 }],
    Store: ['vectorStoreQdrant@1', { qdrantCollection: { __rl: true, value: 'notes' } }],
    Embeddings: ['embeddingsCohere@1', {}],
  };
  const { report } = await importedShort({
    nodes,
    wires: [
      'Start > Ask',
      'Model ai_languageModel> Ask',
      'Retriever ai_retriever> Ask',
      'Store ai_vectorStore> Retriever',
      'Embeddings ai_embedding> Store',
    ],
  });
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  expect(report.needs.map(({ kind, name }) => `${kind} ${name}`)).toContain('knowledge notes');
});

test('a search with a further model for its order ranks by the words of the question', async () => {
  const nodes: Short['nodes'] = {
    Start: start,
    Search: [
      'vectorStoreQdrant@1.3',
      { mode: 'load', qdrantCollection: { __rl: true, value: 'notes' }, prompt: 'tea', useReranker: true },
    ],
    Ranker: ['rerankerCohere@1', { topN: 2 }],
  };
  const { flows, report } = await importedShort({
    nodes,
    wires: ['Start > Search', 'Ranker ai_reranker> Search'],
  });
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  const ranked = Object.values(flows[0]?.nodes ?? {}).find(({ operator }) => operator === 'knowledge.rerank');
  expect(ranked?.params?.['limit']).toBe(2);
});

test.each(PART_KINDS.map(([kind]) => kind).filter((kind) => kind.startsWith('embeddings')))(
  '%s belongs to its space, which has a model of its own',
  async (kind) => {
    const { flows, report } = await importedShort({
      nodes: {
        Start: start,
        Store: ['vectorStoreInMemory@1', { mode: 'insert', memoryKey: { __rl: true, value: 'notes' } }],
        Embeddings: [`${kind}@1`, { modelName: 'one-of-theirs' }],
      },
      wires: ['Start > Store', 'Embeddings ai_embedding> Store'],
    });
    const said = report.nodes.find(({ name }) => name === 'Embeddings');
    expect(said?.word).toBe('close');
    expect(JSON.stringify(said)).toContain('The space says how documents are split and embedded.');
    expect(report.changes.map(({ node, message }) => `${node}: ${message}`)).toContain(
      'Embeddings: The setting modelName has no place here.',
    );
    const loads = Object.values(flows[0]?.nodes ?? {}).filter(
      ({ operator }) => operator === 'knowledge.load',
    );
    expect(loads.map(({ params }) => params?.['space'])).toEqual(['notes']);
  },
);

test('a row that a workflow is judged by is the input of a run by hand', async () => {
  const { flows, report } = await importedShort({
    nodes: {
      Row: ['evaluationTrigger@4.6', { source: 'dataTable', limitRows: true, maxRows: 5 }],
      Set: ['set@3.4', { includeOtherFields: true, assignments: { assignments: [] } }],
    },
    wires: ['Row > Set'],
  });
  const [trigger, item] = Object.values(flows[0]?.nodes ?? {});
  expect([trigger?.operator, item?.params?.['value']]).toEqual(['trigger.manual', '{{ input ?? { } }}']);
  const said = report.nodes.find(({ name }) => name === 'Row');
  expect(said?.word).toBe('close');
});
