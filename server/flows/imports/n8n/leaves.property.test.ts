import { expect, test } from 'vitest';
import { isRecord } from '#shared/json.ts';
import { importedShort } from './testing/service-bed.ts';

/** Whatever stands in a setting that nobody thought of is in the flow, or is told: a field with a text of its own is put into each object of a node. */

type Node = readonly [kind: string, parameters: Record<string, unknown>];

const nodes: Readonly<Record<string, Node>> = {
  set: [
    'set@3.4',
    { assignments: { assignments: [{ name: 'a', type: 'string', value: 'x' }] }, options: {} },
  ],
  request: ['httpRequest@4.2', { url: 'https://api.example.com/x', options: { response: { response: {} } } }],
  code: ['code@2', { jsCode: 'return $input.all();' }],
  aggregate: ['aggregate@1', { aggregate: 'aggregateAllItemData', options: {} }],
  split: ['splitOut@1', { fieldToSplitOut: 'a', options: {} }],
  limit: ['limit@1', { maxItems: 2 }],
  file: ['extractFromFile@1', { operation: 'text', options: {} }],
  markdown: ['markdown@1', { mode: 'markdownToHtml', markdown: 'x', options: {} }],
  html: ['html@1.2', { operation: 'extractHtmlContent', extractionValues: { values: [] }, options: {} }],
  mail: ['emailSend@2.1', { toEmail: 'a@example.com', subject: 'x', html: 'y', options: {} }],
  sheet: [
    'googleSheets@4.5',
    { documentId: 'd', sheetName: 'People', options: { dataLocationOnSheet: { values: {} } } },
  ],
  gmail: ['gmail@2.1', { sendTo: 'a@example.com', subject: 'x', message: 'y', options: {} }],
  slack: ['slack@2.2', { select: 'channel', channelId: 'c', text: 'x', otherOptions: {} }],
  telegram: ['telegram@1.2', { chatId: '1', text: 'x', additionalFields: {} }],
  task: ['clickUp@1', { list: 'l', name: 'x', additionalFields: {} }],
  extract: ['informationExtractor@1', { text: 'x', attributes: { attributes: [] }, options: {} }],
  model: ['openAi@1.8', { modelId: 'gpt-x', messages: { values: [{ content: 'x' }] }, options: {} }],
  bucket: ['awsS3@2', { bucketName: 'b', fileKey: 'k', additionalFields: {} }],
};

/** Paths of all objects that are in no list. */
function objectsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (!isRecord(value)) return [];
  return [path, ...Object.entries(value).flatMap(([key, one]) => objectsIn(one, [...path, key]))];
}

function withField(value: unknown, [key, ...rest]: readonly string[], text: string): unknown {
  if (!isRecord(value)) return value;
  if (key === undefined) return { ...value, zz: text };
  return { ...value, [key]: withField(value[key], rest, text) };
}

const cases = Object.entries(nodes).flatMap(([name, [kind, parameters]]) =>
  objectsIn(parameters).map((path) => [name, path.join('.'), kind, parameters, path] as const),
);

async function toldOf(short: Parameters<typeof importedShort>[0]): Promise<string> {
  const { flows, report } = await importedShort(short);
  // A placeholder keeps everything, which would say nothing here.
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  return JSON.stringify([flows, report]);
}

test.each(cases)('%s %s', async (_, place, kind, parameters, path) => {
  const text = `leaf_of_${place || 'all'}`;
  const changed = withField(parameters, path, text) as Record<string, unknown>;
  const told = await toldOf({
    nodes: { Hook: ['webhook@2', { path: 'job', httpMethod: 'POST' }], Node: [kind, changed] },
    wires: ['Hook > Node'],
  });
  expect(told).toContain(text);
});

test.each([
  ['lmChatOpenAi@1.2', 'ai_languageModel', { model: 'gpt-x', options: {} }],
  ['memoryBufferWindow@1.3', 'ai_memory', { sessionIdType: 'customKey', sessionKey: 'k' }],
  ['toolHttpRequest@1.1', 'ai_tool', { url: 'https://api.example.com/x', toolDescription: 'x' }],
  ['toolWorkflow@2', 'ai_tool', { workflowId: 'w', name: 'x' }],
  ['toolCode@1', 'ai_tool', { name: 'x', jsCode: 'return 1' }],
])('a part of an agent: %s', async (kind, wire, parameters) => {
  const told = await toldOf({
    nodes: {
      Hook: ['webhook@2', { path: 'job', httpMethod: 'POST' }],
      Agent: ['agent@1.7', { promptType: 'define', text: 'x' }],
      Part: [kind, { ...parameters, zz: 'leaf_of_a_part' }],
    },
    wires: ['Hook > Agent', `Part ${wire}> Agent`],
  });
  expect(told).toContain('leaf_of_a_part');
});
