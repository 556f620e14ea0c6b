import { expect, test } from 'vitest';
import { render, thrown } from '../../../../engine/expr/testing/evaluate.ts';
import type { Context } from './context.ts';
import { passesFiles } from './item-files.ts';
import { importedShort } from './testing/service-bed.ts';
import { createReport } from '../frame/report-builder.ts';
import { n8nFile } from './testing/short.ts';
import { readWorkflow, type Step } from './workflow.ts';

test('the settings of a step are searched for files once, however many steps ask', async () => {
  let written = 0;
  const parameters = {
    toJSON: () => {
      written++;
      return { binaryPropertyName: 'data' };
    },
  };
  const names = Array.from({ length: 50 }, (_, at) => `S${at}`);
  const steps = new Map(names.map((name) => [name, { name, kind: 'set', parameters } as unknown as Step]));
  const before = new Map(names.map((name, at) => [name, new Set(names.slice(0, at))]));
  const job = { before, workflow: { steps } } as unknown as Context['job'];
  const passed = [...steps.values()].filter((step) => passesFiles({ job, step }));
  expect(passed).toHaveLength(48);
  expect(written).toBeLessThanOrEqual(50);
});

const file = { $file: 'f1', name: 'a.png' };

/** The item behind Set, which lies between a node that gives a file and one that reads it. */
async function behindSet(version: string, parameters: object): Promise<unknown> {
  const fields = { assignments: { assignments: [{ name: 'r', type: 'string', value: 'new' }] } };
  const { flows } = await importedShort({
    nodes: {
      W: ['manualTrigger@1', {}],
      Got: [
        'httpRequest@4.2',
        { url: 'https://a.example.com', options: { response: { response: { responseFormat: 'file' } } } },
      ],
      Set: [`set@${version}`, { ...fields, ...parameters }],
      Text: ['extractFromFile@1', { operation: 'text' }],
    },
    wires: ['W > Got', 'Got > Set', 'Set > Text'],
  });
  const value = flows[0]?.nodes['set']?.params?.['value'];
  if (typeof value === 'string') return render(value, { data: file, n: 1 });
  return Object.fromEntries(
    Object.entries(value as Record<string, unknown>).map(([name, one]) => [
      name,
      typeof one === 'string' ? render(one, { data: file, n: 1 }) : one,
    ]),
  );
}

test.each([
  ['3.4', { includeOtherFields: true }, { data: file, n: 1, r: 'new' }],
  ['3.4', { includeOtherFields: true, options: { stripBinary: true } }, { n: 1, r: 'new' }],
  [
    '3.4',
    { includeOtherFields: true, include: 'selected', includeFields: 'n' },
    { n: 1, data: file, r: 'new' },
  ],
  ['3.4', { includeOtherFields: false }, { r: 'new' }],
  ['3.4', {}, { r: 'new' }],
  ['3.2', { include: 'none', options: { includeBinary: true } }, { data: file, r: 'new' }],
  ['3.2', { include: 'none', options: {} }, { r: 'new' }],
])('Set %s with %j keeps the files that it keeps there', async (version, parameters, item) => {
  expect(await behindSet(version, parameters)).toEqual(item);
});

test('of a file with more nodes and wires than anybody draws, the first ones are read', async () => {
  const names = Array.from({ length: 2500 }, (_, at) => `S${at}`);
  const nodes = Object.fromEntries(names.map((name) => [name, ['set@3.4', {}] as const]));
  const wires = names.slice(1).map((name, at) => `S${at} > ${name}`);
  const more = Array.from({ length: 20_000 }, (_, at) => `S0.${at + 1} > S1`);
  const report = createReport({ product: 'n8n', file: 'a.json', name: 'Job' });
  const { steps, wires: read } = readWorkflow(
    n8nFile('Job', { nodes, wires: [...more, ...wires] }),
    'Job',
    report,
  );
  expect([steps.size, read.length <= 20_000]).toEqual([2000, true]);
  const told = report.done([]).changes.map(({ message }) => message);
  expect(told).toContain('It has 2,500 nodes; the first 2,000 are read.');
  expect(told.some((message) => message.includes('wires; the first 20,000 are read.'))).toBe(true);
});

test.each([
  [{}, { a: 1, b: file }, file],
  [{}, { a: 1 }, 'missing_field'],
  [
    { responseDataSource: 'set', inputFieldName: 'b' },
    { a: file, b: { ...file, name: 'b' } },
    { ...file, name: 'b' },
  ],
  [{ responseDataSource: 'set', inputFieldName: 'b' }, { a: file, b: 'text' }, 'missing_field'],
])(
  'an answer with the file that %j names is an error without one, as there',
  async (parameters, item, answer) => {
    const { flows } = await importedShort({
      nodes: {
        W: ['webhook@2', { path: 'job', responseMode: 'responseNode' }],
        Answer: ['respondToWebhook@1.1', { respondWith: 'binary', ...parameters, options: {} }],
      },
      wires: ['W > Answer'],
    });
    const respond = Object.values(flows[0]?.nodes ?? {}).find(({ operator }) => operator === 'core.respond');
    const body = String(respond?.params?.['body']);
    if (typeof answer === 'string') expect(thrown(() => render(body, item)).code).toBe(answer);
    else expect(render(body, item)).toEqual(answer);
  },
);
