import { describe, expect, test } from 'vitest';
import { formatFlow, parse } from '#engine/check';
import { loadOperators } from '../../../base/authored/load-operators.ts';
import { givenFile, readFiles } from '../import-files.ts';
import { entries } from './table.ts';
import { fc } from '../../../../tests/support/property.ts';

/** Whatever a file of n8n holds, reading it does not throw, and each node of it is told. */
const { registry } = await loadOperators({ builtIn: true });
const world = { catalog: registry.catalog, taken: new Set<string>() };

const KINDS = [...entries.map(({ kind }) => kind), 'acuityScheduling', 'mongoDb', 'toString', '__proto__'];
const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    '={{ $json.a }}',
    '={{ $json.a.b[0].c || "x" }} and {{ $now }}',
    '={{ $("Node 1").item.json.x }}',
    '={{ $node["Node 2"].json.y.toUpperCase() }}',
    '={{ (() => { return 1 })() }}',
    '={{ ',
    '=}} {{ {{ $json }}',
    '={{ $fromAI("x") }}',
    'Bearer sesame-street-sesame-street',
    '={{ $json["constructor"]["constructor"]("return process")() }}',
  ),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('any'), { maxLength: 3 }),
  object: fc.dictionary(
    fc.constantFrom(
      'values',
      'value',
      'name',
      'url',
      'options',
      'parameters',
      'conditions',
      'resource',
      'operation',
      'mode',
      'password',
      'rules',
      'a b',
    ),
    tie('any'),
    { maxKeys: 4 },
  ),
})).any;
const PARAMS = [
  'url',
  'method',
  'options',
  'conditions',
  'assignments',
  'jsCode',
  'values',
  'path',
  'httpMethod',
  'rules',
  'resource',
  'operation',
  'query',
  'text',
  'sendHeaders',
  'headerParameters',
  'batchSize',
  'mode',
  'fieldToSplitOut',
  'workflowId',
  'amount',
  'apiKey',
];
const node = fc.record({
  type: fc.constantFrom(...KINDS).map((kind) => `n8n-nodes-base.${kind}`),
  typeVersion: fc.constantFrom(1, 2, 3, 3.4, 4.2, 99),
  parameters: fc.dictionary(fc.constantFrom(...PARAMS), value, { maxKeys: 6 }),
  disabled: fc.boolean(),
  retryOnFail: fc.boolean(),
  onError: fc.constantFrom(undefined, 'continueRegularOutput', 'continueErrorOutput', 'odd'),
});
const workflow = fc
  .record({
    nodes: fc.array(node, { maxLength: 12 }),
    wires: fc.array(
      fc.tuple(
        fc.nat(12),
        fc.nat(3),
        fc.nat(12),
        fc.nat(3),
        fc.constantFrom('main', 'main', 'main', 'ai_tool', 'ai_languageModel'),
      ),
      { maxLength: 20 },
    ),
    settings: value,
  })
  .map(({ nodes, wires, settings }) => {
    const connections: Record<string, Record<string, unknown[][]>> = {};
    for (const [from, output, to, index, kind] of wires) {
      const outputs = ((connections[`Node ${from}`] ??= {})[kind] ??= []);
      while (outputs.length <= output) outputs.push([]);
      outputs[output]?.push({ node: `Node ${to}`, type: kind, index });
    }
    return {
      name: 'Any',
      nodes: nodes.map((one, i) => ({ name: `Node ${i}`, ...one })),
      connections,
      settings,
    };
  });

const readOne = async (value: unknown) =>
  readFiles([givenFile({ path: 'any.json', bytes: Buffer.from(JSON.stringify(value)) })], world);

test('a thousand workflows: no crash, each node is told, each flow can be stored, no secret is in it', async () => {
  await fc.assert(
    fc.asyncProperty(workflow, async (file) => {
      const [read, ...more] = (await readOne(file)).flows;
      expect(more).toEqual([]);
      const { report, drafts } = read as NonNullable<typeof read>;
      expect(report.nodes.map(({ name }) => name).sort()).toEqual(file.nodes.map(({ name }) => name).sort());
      for (const { flow } of drafts) {
        const written = formatFlow(flow);
        const { problems } = parse(written, { id: flow.id });
        expect(problems.filter(({ code }) => code === 'bad-field' || code === 'bad-format')).toEqual([]);
        const shown = written + JSON.stringify(report);
        const keys = file.nodes.some(({ parameters }) =>
          JSON.stringify(parameters).includes('"password":"Bearer'),
        );
        if (keys) expect(shown.includes('"password":"Bearer')).toBe(false);
      }
      // What a main wire leads to has an edge to it, or the wire is told.
      const reached = new Set(drafts.flatMap(({ flow }) => endsIn(flow)));
      const told = JSON.stringify(report.changes.filter(({ what }) => what === 'wire'));
      const becomes = new Map(report.nodes.map(({ name, nodes }) => [name, nodes]));
      for (const [from, to] of mainWires(file.connections)) {
        const nodes = becomes.get(to) ?? [];
        const isDrawn = becomes.has(from) && nodes.length > 0;
        expect(!isDrawn || nodes.some((id) => reached.has(id)) || told.includes(to), `${from} > ${to}`).toBe(
          true,
        );
      }
      // What stands for a node is in the flow, and what is lost of a wire is told.
      const ids = new Set(drafts.flatMap(({ flow }) => idsIn(flow)));
      for (const { nodes } of report.nodes) for (const id of nodes) expect(ids.has(id), id).toBe(true);
    }),
    { numRuns: 1000 },
  );
}, 120_000);

function mainWires(connections: Record<string, Record<string, unknown[][]>>): (readonly [string, string])[] {
  return Object.entries(connections).flatMap(([from, { main = [] }]) =>
    main.flatMap((ends) => ends.map((end) => [from, (end as { node: string }).node] as const)),
  );
}

interface Graph {
  readonly nodes: Readonly<Record<string, { readonly body?: unknown }>>;
  readonly edges: readonly { readonly to: string }[];
}

/** The nodes that edges lead to, in bodies too. */
function endsIn({ nodes, edges }: Graph): string[] {
  const inner = Object.values(nodes).flatMap(({ body }) => (body ? endsIn(body as Graph) : []));
  return [...edges.map(({ to }) => to.split('.')[0] as string), ...inner];
}

function idsIn(body: { readonly nodes: Readonly<Record<string, { readonly body?: unknown }>> }): string[] {
  return Object.entries(body.nodes).flatMap(([id, one]) => [
    id,
    ...(one.body ? idsIn(one.body as Parameters<typeof idsIn>[0]) : []),
  ]);
}

describe('bad files', () => {
  test.each([
    [
      'a name of 200 characters',
      { nodes: [{ name: 'x'.repeat(200), type: 'n8n-nodes-base.set' }], connections: {} },
    ],
    [
      'two nodes of one name',
      {
        nodes: [
          { name: 'A', type: 'x.set' },
          { name: 'A', type: 'x.if' },
        ],
        connections: {},
      },
    ],
    [
      'nodes that are none',
      { nodes: [null, 1, 'a', { name: 'A' }], connections: { A: { main: [[{ node: 'B' }], null, 3] } } },
    ],
    [
      'a version of the future',
      {
        nodes: [{ name: 'A', type: 'n8n-nodes-base.httpRequest', typeVersion: 1e9, parameters: {} }],
        connections: {},
      },
    ],
    [
      'a circle',
      {
        nodes: [
          { name: 'A', type: 'n8n-nodes-base.set' },
          { name: 'B', type: 'n8n-nodes-base.set' },
        ],
        connections: { A: { main: [[{ node: 'B' }]] }, B: { main: [[{ node: 'A' }]] } },
      },
    ],
    [
      'hostile names',
      {
        nodes: [
          { name: '__proto__', type: 'n8n-nodes-base.set' },
          { name: 'constructor', type: 'n8n-nodes-base.if' },
        ],
        connections: { constructor: { main: [[{ node: '__proto__' }]] } },
      },
    ],
  ])('%s', async (_, file) => {
    const { flows, left } = await readOne(file);
    expect(left).toEqual([]);
    expect(flows[0]?.report.nodes).toHaveLength(file.nodes.length);
  });

  test('a file that is too large is refused by its size', () => {
    const bytes = Buffer.alloc(50_000_000, 32);
    expect(() => givenFile({ path: 'big.json', bytes })).toThrow(/50 MB; at most 30 MB/);
  });

  test('a thousand workflows of an instance are read at once', async () => {
    const one = (i: number) => ({
      id: `w${i}`,
      name: `Flow ${i}`,
      nodes: Array.from({ length: 12 }, (_, n) => ({
        name: `N${n}`,
        type: n === 0 ? 'n8n-nodes-base.manualTrigger' : 'n8n-nodes-base.set',
        typeVersion: 3.4,
        parameters:
          n === 0
            ? {}
            : {
                assignments: {
                  assignments: [{ name: 'a', type: 'string', value: '={{ $json.a }}-{{ $now.toISO() }}' }],
                },
              },
      })),
      connections: Object.fromEntries(
        Array.from({ length: 11 }, (_, n) => [
          `N${n}`,
          { main: [[{ node: `N${n + 1}`, type: 'main', index: 0 }]] },
        ]),
      ),
    });
    const { summary } = await readOne({ data: Array.from({ length: 1000 }, (_, i) => one(i)) });
    expect([summary.flows, summary.ready]).toEqual([1000, 1000]);
  });
});
