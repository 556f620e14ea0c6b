import { expect, test } from 'vitest';
import { check } from '#engine/check';
import type { FlowNode } from '#shared/flow.ts';
import { fc } from '../../../../../tests/support/property.ts';
import { catalog, ELSEWHERE, importedShort } from '../testing/service-bed.ts';
import type { Short } from '../testing/short.ts';

/** Whatever shape loops have, each wire that leads back is told or drawn, the flow has no circle, and each loop has an end. */

const RISING: Short['nodes'][string] = [
  'set@3.4',
  { assignments: { assignments: [{ name: 'n', type: 'number', value: '={{ $json.n + 1 }}' }] } },
];
const KINDS: readonly Short['nodes'][string][] = [
  RISING,
  ['noOp@1'],
  [
    'httpRequest@4.2',
    { url: '=https://api.example.com/{{ $runIndex }}' },
    { onError: 'continueErrorOutput' },
  ],
  ['code@2', { jsCode: 'return $input.all();' }],
  ['splitInBatches@3', { options: {} }],
  ['splitInBatches@1', { batchSize: 2 }],
  ['merge@3', {}],
  ['aggregate@1', { aggregate: 'aggregateAllItemData' }],
  [
    'if@2',
    {
      conditions: {
        combinator: 'and',
        conditions: [
          { leftValue: '={{ $json.n }}', rightValue: 3, operator: { type: 'number', operation: 'gt' } },
        ],
      },
    },
  ],
  [
    'set@3.4',
    { assignments: { assignments: [{ name: 'n', type: 'number', value: '={{ $("N0").item.json.n }}' }] } },
  ],
];

const MOST = 9;
const MERGE = KINDS.findIndex(([kind]) => kind === 'merge@3');
const shorts = fc
  .record({
    kinds: fc.array(fc.nat(KINDS.length - 1), { minLength: 1, maxLength: MOST }),
    wires: fc.array(fc.tuple(fc.nat(MOST), fc.nat(1), fc.nat(MOST), fc.nat(6)), { maxLength: 18 }),
  })
  .map(({ kinds, wires }): Short => {
    const name = (at: number): string => `N${at % kinds.length}`;
    const drawn = wires.map(([from, output, to, input]) => {
      // Only a merge has a second input.
      const place = kinds[to % kinds.length] === MERGE && input > 2 ? '.1' : '';
      return `${name(from)}.${output} > ${name(to)}${place}`;
    });
    return {
      nodes: {
        Start: ['manualTrigger@1'],
        ...Object.fromEntries(kinds.map((kind, at) => [`N${at}`, KINDS[kind] as Short['nodes'][string]])),
      },
      wires: [...new Set(['Start > N0', ...drawn])],
    };
  });

/** Wires that are lost say nothing about what comes before a loop: of an output that is not there, into a loop without steps, and of an error. */
const LOST_WIRES: readonly Short[] = [
  {
    nodes: { Start: ['manualTrigger@1'], N0: ['splitInBatches@3'], N1: RISING, N2: RISING },
    wires: ['Start > N0', 'N2.1 > N0', 'N0.1 > N1', 'N2.0 > N1'],
  },
  {
    nodes: { Start: ['manualTrigger@1'], N0: ['splitInBatches@3'], N1: ['splitInBatches@1'], N2: RISING },
    wires: ['Start > N0', 'N0.1 > N2', 'N1.1 > N2', 'N2.0 > N0', 'N1.0 > N0'],
  },
  {
    nodes: {
      Start: ['manualTrigger@1'],
      N0: RISING,
      N1: ['splitInBatches@1'],
      N2: ['httpRequest@4.2', { url: 'https://api.example.com' }, { onError: 'continueErrorOutput' }],
    },
    wires: ['Start > N0', 'N2.0 > N1', 'N2.1 > N0', 'N1.0 > N0'],
  },
];

interface Graph {
  readonly nodes: Readonly<Record<string, FlowNode>>;
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** The flow and the bodies in it. */
function graphsIn(graph: Graph): Graph[] {
  return [graph, ...Object.values(graph.nodes).flatMap(({ body }) => (body ? graphsIn(body) : []))];
}

function hasCircle({ edges }: Graph): boolean {
  const left = new Map<string, Set<string>>();
  const nodeOf = (end: string): string => end.split('.')[0] as string;
  for (const { from, to } of edges)
    left.set(nodeOf(from), (left.get(nodeOf(from)) ?? new Set()).add(nodeOf(to)));
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [from, ends] of left) if ([...ends].every((end) => !left.has(end))) left.delete(from);
  }
  return left.size > 0;
}

/** Wires on a circle over others that the trigger reaches. */
function circling(wires: readonly string[]): [from: string, to: string][] {
  const pairs = wires.map((wire) => wire.split(' > ').map((end) => end.split('.')[0]) as [string, string]);
  const reach = (from: string): Set<string> => {
    const found = new Set<string>();
    const open = [from];
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const [one, to] of pairs) if (one === at && !found.has(to)) open.push((found.add(to), to));
    return found;
  };
  const live = reach('Start');
  return pairs.filter(([from, to]) => live.has(from) && reach(to).has(from));
}

test('loops of any shape', async () => {
  await fc.assert(
    fc.asyncProperty(shorts, async (short) => {
      const { flows, report } = await importedShort(short);
      expect(report.nodes.map(({ name }) => name).sort()).toEqual(Object.keys(short.nodes).sort());
      const graphs = flows.flatMap((flow) => graphsIn(flow));
      expect(graphs.filter((graph) => hasCircle(graph))).toEqual([]);
      const loops = graphs
        .flatMap(({ nodes }) => Object.values(nodes))
        .filter(({ body }) => body !== undefined);
      for (const { operator, params } of loops)
        expect(
          params?.[operator === 'data.for-each' ? 'maxItems' : 'maxRounds'] ?? 10_000,
        ).toBeLessThanOrEqual(100_000);
      // Each circle is a loop here, or one of its wires is told.
      const isTold =
        circling(short.wires ?? []).length === 0 ||
        loops.length > 0 ||
        report.changes.some(({ what }) => what === 'wire');
      expect(isTold, JSON.stringify(short)).toBe(true);
      const loose = flows
        .flatMap((flow) => check(flow, catalog, { routes: [], variables: [], secrets: undefined }))
        .filter(({ severity, code }) => severity === 'error' && !ELSEWHERE.has(code))
        // Nodes that the trigger does not reach read others that may run later, in loops or not.
        .filter(({ code, message }) => code !== 'not-upstream' || /_round`|in whose body/.test(message))
        .filter(({ code }) => code === 'dangling-edge' || code === 'cycle' || code === 'not-upstream');
      expect(
        loose.map(({ message }) => message),
        JSON.stringify(short),
      ).toEqual([]);
    }),
    { numRuns: 400, examples: LOST_WIRES.map((one) => [one]) },
  );
}, 120_000);
