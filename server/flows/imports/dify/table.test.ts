import { beforeAll, describe, expect, test } from 'vitest';
import { allNodes } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { ImportReport } from '#shared/import-report.ts';
import { builtInRegistry } from '../../service/testing/flow-fixture.ts';
import { mappings } from './nodes/all.ts';
import { difyReader } from './reader.ts';
import { table } from './table.ts';
import { condition, difyApp, field, model, output, type ShortNode } from './testing/dify-app.ts';

/** Each word of the table, held by a node of its type as people have it. */
let catalog: Catalog;
beforeAll(async () => {
  ({ catalog } = await builtInRegistry());
});

type Settings = Readonly<Record<string, unknown>>;
const query = ['start', 'q'];
const script = {
  outputs: { result: { type: 'string' } },
  variables: [{ variable: 'a', value_selector: query }],
};

/** Settings by type; several for types of which all ways are looked at. */
const examples: Readonly<Record<string, readonly Settings[]>> = {
  llm: [
    { model, prompt_template: [{ role: 'user', text: '{{#start.q#}}' }] },
    {
      model,
      prompt_template: [{ role: 'user', text: 'Go' }],
      structured_output_enabled: true,
      structured_output: { schema: { type: 'object' } },
    },
  ],
  answer: [{ answer: '{{#start.q#}}!' }],
  end: [{ outputs: [output('q', ...query)] }],
  'question-classifier': [{ model, query_variable_selector: query, classes: [{ id: '1', name: 'One' }] }],
  'parameter-extractor': [{ model, query, parameters: [{ name: 'a', type: 'string', required: true }] }],
  agent: [{ agent_parameters: { query: { type: 'constant', value: 'Hi' }, model: { value: model } } }],
  'knowledge-retrieval': [{ dataset_ids: ['a'], query_variable_selector: query }],
  'if-else': [
    { cases: [{ case_id: 'true', conditions: [condition(query, 'is', 'a')] }] },
    { cases: ['1', '2'].map((case_id) => ({ case_id, conditions: [condition(query, 'is', case_id)] })) },
  ],
  code: [
    { code_language: 'python3', code: 'def main(a):\n    return {"result": a}', ...script },
    { code_language: 'javascript', code: 'function main({ a }) { return { result: a }; }', ...script },
  ],
  'template-transform': [{ template: '{{ a }}', variables: [{ variable: 'a', value_selector: query }] }],
  'http-request': [
    { method: 'get', url: 'https://example.com', authorization: { type: 'no-auth' }, body: { type: 'none' } },
  ],
  tool: [
    { provider_id: 'time', tool_name: 'current_time', tool_configurations: { format: '%Y' } },
    {
      provider_id: 'webscraper',
      tool_name: 'webscraper',
      tool_parameters: { url: { type: 'mixed', value: '{{#start.q#}}' } },
    },
  ],
  'variable-aggregator': [{ variables: [query, ['start', 'n']], output_type: 'string' }],
  'variable-assigner': [{ variables: [query], output_type: 'string' }],
  assigner: [
    {
      version: '2',
      items: [
        {
          variable_selector: ['conversation', 'said'],
          operation: 'append',
          input_type: 'variable',
          value: query,
        },
      ],
    },
  ],
  iteration: [{ iterator_selector: ['conversation', 'said'], output_selector: ['inner', 'output'] }],
  loop: [
    {
      loop_count: 2,
      loop_variables: [{ label: 'n', var_type: 'number', value: '1', value_type: 'constant' }],
    },
  ],
  'document-extractor': [{ variable_selector: ['sys', 'files'], is_array_file: true }],
  'list-operator': [
    { variable: ['conversation', 'said'], var_type: 'array[string]', limit: { enabled: true, size: 2 } },
  ],
  'custom-note': [{ text: 'Look' }],
  'trigger-schedule': [
    { mode: 'cron', cron_expression: '0 9 * * 1', timezone: 'Asia/Tokyo' },
    { mode: 'visual', frequency: 'daily', visual_config: { time: '12:15 PM' } },
  ],
  'trigger-webhook': [{ method: 'POST', body: [{ name: 'a', type: 'string', required: true }] }],
};

const BETTER = ['placeholder', 'close', 'needs', 'equal'];

interface Read {
  readonly report: ImportReport;
  readonly flow: Flow;
}

function readWith(type: string, settings: Settings): Read {
  const isTrigger = type.startsWith('trigger-') || type === 'datasource';
  const inner: Record<string, ShortNode> = {
    begin: { type: type === 'loop' ? 'loop-start' : 'iteration-start', in: 'node' },
    inner: { type: 'template-transform', template: 'x', variables: [], in: 'node' },
  };
  const isBody = type === 'iteration' || type === 'loop';
  const app = difyApp({
    mode: isTrigger ? 'workflow' : 'advanced-chat',
    nodes: {
      ...(!isTrigger && { start: { type: 'start', variables: [field('q'), field('n', 'number')] } }),
      node: { type, ...settings },
      ...(isBody && inner),
    },
    edges: [...(isTrigger ? [] : ['start > node']), ...(isBody ? ['begin > inner'] : [])],
    workflow: { conversation_variables: [{ name: 'said', value: [], value_type: 'array[string]' }] },
  });
  const [original] = difyReader.split({ path: 'a.yml', text: '', json: app });
  const around = { catalog, id: 'app', idFor: (name: string) => name, flowOf: () => undefined };
  const { report, drafts } = difyReader.read(original as never, around);
  return { report, flow: drafts[0]?.flow as Flow };
}

describe.each(table)('$type', ({ type, best, here, offers }) => {
  const given = examples[type] ?? [{}];

  test('is what the table says', () => {
    if (['start', 'iteration-start', 'loop-start', 'loop-end'].includes(type)) return;
    const words = given.map((settings) => {
      const { report, flow } = readWith(type, settings);
      const entry = report.nodes.find(({ name }) => name === 'node');
      const operators = (entry?.nodes ?? []).map((id) => allNodes(flow)[id]?.operator);
      if (entry?.word !== 'placeholder')
        expect(
          operators.filter(
            (one) => one !== undefined && !here.includes(one) && !['state.get', 'core.map'].includes(one),
          ),
        ).toEqual([]);
      return entry?.word ?? 'placeholder';
    });
    const found = words.toSorted((a, b) => BETTER.indexOf(b) - BETTER.indexOf(a))[0];
    expect([words, found]).toEqual([words, best]);
  });

  test('names two ways at most, where it may be a placeholder', () => {
    expect(offers.length).toBeLessThanOrEqual(2);
    if (best === 'placeholder') expect(offers.length).toBeGreaterThan(0);
  });
});

test('every mapping has a row, and no row is told twice', () => {
  const types = table.map(({ type }) => type);
  expect(new Set(types).size).toBe(types.length);
  // The agent of an app without a graph is no node of Dify.
  expect(Object.keys(mappings).filter((type) => !types.includes(type))).toEqual(['agent-app']);
});
