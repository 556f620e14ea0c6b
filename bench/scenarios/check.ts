import { check, knownTypes, type World } from '#engine/check';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { loadOperators } from '../../server/base/authored/load-operators.ts';
import { type BenchContext, type Line, type Scenario, timeCalls } from '../harness.ts';

const NODES = 1000;
const world: World = { routes: [], variables: [], secrets: [] };

/** What the editor asks for after each change and the server before a flow goes live. */
export const checkFlow: Scenario = {
  name: 'check',
  title: 'Check of a flow, with the types on all of its edges',
  async run({ quick }: BenchContext): Promise<Line[]> {
    const { registry } = await loadOperators({ builtIn: true });
    const { catalog } = registry;
    const flow = typedFlow(NODES);
    const problems = check(flow, catalog, world);
    // A check that gives up early is fast too.
    if (problems.length > 0) throw new Error(`The flow has a problem: ${problems[0]?.message}`);
    const { ns, slowness } = await timeCalls(
      { types: () => knownTypes(flow, catalog), whole: () => check(flow, catalog, world) },
      quick ? 9 : 25,
    );
    return [
      {
        name: `type check of a ${NODES}-node flow`,
        figure: ns.types / 1e6,
        unit: 'ms',
        bar: { kind: 'at most', value: 100 },
        slowness,
      },
      {
        name: `all checks of a ${NODES}-node flow`,
        figure: ns.whole / 1e6,
        unit: 'ms',
        note: 'types and all other rules',
      },
    ];
  },
};

/** Nodes in a row, each of which reads fields of what the one before it gives. */
function typedFlow(size: number): Flow {
  const nodes: Record<string, FlowNode> = {
    trigger: { operator: 'trigger.manual', params: { input: request } },
  };
  const edges: Flow['edges'] = [];
  let last = 'trigger';
  for (let i = 1; i < size; i++) {
    const id = `n${i}`;
    nodes[id] = makers[i % makers.length] as FlowNode;
    edges.push({ from: `${last}.out`, to: `${id}.in` });
    last = id;
  }
  return { format: 1, id: 'typed', nodes, edges };
}

const request = {
  type: 'object',
  required: ['name', 'items'],
  properties: {
    name: { type: 'string' },
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['sku', 'price'],
        properties: { sku: { type: 'string' }, price: { type: 'number' } },
      },
    },
  },
};

const makers: readonly FlowNode[] = [
  {
    operator: 'core.map',
    params: {
      value: {
        name: '{{ input.name.trim() }}',
        items: '{{ input.items }}',
        total: '{{ sum(input.items.map(i => i.price)) }}',
      },
    },
  },
  {
    operator: 'data.set',
    params: { fields: { label: 'Order of {{ input.name }}', big: '{{ input.items.length > 10 }}' } },
  },
  { operator: 'data.pick', params: { fields: ['name', 'items'] } },
  { operator: 'core.log', params: { message: '{{ input.name }} has {{ input.items.length }}' } },
];
