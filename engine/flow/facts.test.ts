import { describe, expect, it } from 'vitest';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { testCatalog } from '../testing/catalog.ts';
import { check } from '../check/check.ts';
import { checkContext } from './context.ts';
import { certainOutputs, lazyIn, upstream } from './facts.ts';
import { flowGraph, incoming, portsOf, reach, runScope } from '../check/index.ts';
import { fc } from '../../tests/support/property.ts';

const world = { routes: [], variables: [], secrets: [] };
const SIZE = 9;

const operators: FlowNode[] = [
  { operator: 'core.map' },
  { operator: 'core.map', onError: 'route' },
  { operator: 'core.map', onError: 'continue', fallback: {} },
  { operator: 'core.merge' },
  { operator: 'core.gather' },
  { operator: 'core.first' },
  { operator: 'logic.if', params: { condition: true } },
  { operator: 'logic.switch', params: { cases: [{ name: 'one' }, { name: 'two' }] } },
  { operator: 'core.join', params: { inputs: [{ name: 'a' }, { name: 'b', required: false }] } },
  { operator: 'core.log' },
  { operator: 'http.request', params: { url: '' } },
];

const portOf = (node: FlowNode, side: 'inputs' | 'outputs', at: number): string => {
  const info = testCatalog.operators[node.operator];
  const ports = info ? portsOf(node, info)[side] : [];
  return ports[at % ports.length]?.name ?? 'none';
};

/** Flows without cycles whose edges all fit. Single inputs may have no edge, which is wrong but can run. */
const flows = fc
  .tuple(
    fc.array(fc.nat(operators.length - 1), { minLength: SIZE, maxLength: SIZE }),
    fc.array(fc.tuple(fc.nat(SIZE), fc.nat(SIZE), fc.nat(5), fc.nat(5)), { minLength: 8, maxLength: 40 }),
    fc.boolean(),
  )
  .map(([picks, links, twoTriggers]): Flow => {
    const nodes: Record<string, FlowNode> = { n0: { operator: 'trigger.manual' } };
    picks.forEach((pick, i) => Object.assign(nodes, { [`n${i + 1}`]: operators[pick] }));
    if (twoTriggers) Object.assign(nodes, { n1: { operator: 'trigger.manual' } });
    const taken = new Set<string>();
    const edges = links.flatMap(([a, b, out, into]) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const target = nodes[`n${to}`] as FlowNode;
      const edge = {
        from: `n${from}.${portOf(nodes[`n${from}`] as FlowNode, 'outputs', out)}`,
        to: `n${to}.${portOf(target, 'inputs', into)}`,
      };
      const many = ['core.merge', 'core.gather', 'core.first'].includes(target.operator);
      if (
        from === to ||
        edge.to.endsWith('.none') ||
        (taken.has(edge.to) && !many) ||
        taken.has(edge.from + edge.to)
      )
        return [];
      taken.add(edge.to).add(edge.from + edge.to);
      return [edge];
    });
    return { format: 1, id: 'x', nodes, edges };
  });

interface Simulated {
  readonly ran: ReadonlySet<string>;
  /** Live outputs, `node.port`. */
  readonly live: ReadonlySet<string>;
}

/** A run by rule 2 of the engine's contract; `choose` decides what each node does. */
function simulate(flow: Flow, trigger: string, choose: (node: string, options: number) => number): Simulated {
  const graph = flowGraph(flow);
  const scope = runScope(graph, trigger, (id) => flow.nodes[id]?.operator === 'trigger.manual');
  const ran = new Set<string>();
  const live = new Set<string>();
  const nulls = new Set<string>();
  const lazy = lazyIn(checkContext(flow, testCatalog, world, () => {}));
  const done = new Set<string>();
  const visit = (id: string): void => {
    const node = flow.nodes[id] as FlowNode;
    const info = testCatalog.operators[node.operator];
    if (!info || !scope.has(id) || done.has(id)) return;
    done.add(id);
    const before = lazy.get(id) ?? [];
    for (const { from } of [...incoming(graph, id), ...before]) visit(from);
    const { inputs, outputs } = portsOf(node, info);
    const edges = incoming(graph, id);
    const isLive = (edge: (typeof edges)[number]) => live.has(`${edge.from}.${edge.fromPort}`);
    const fed = inputs.every((port) => {
      const own = edges.filter((edge) => edge.toPort === port.name);
      return !port.required || (port.many === 'all' ? own.length > 0 && own.every(isLive) : own.some(isLive));
    });
    const runs = info.trigger ? id === trigger : edges.length === 0 || (fed && edges.some(isLive));
    const isValue = ({ from, fromPort }: (typeof edges)[number]) =>
      live.has(`${from}.${fromPort}`) && !nulls.has(from);
    if (!runs || before.some(isValue)) return;
    ran.add(id);
    if (choose(id, 2) === 1) nulls.add(id);
    const plain = outputs.filter((port) => port.name !== 'error').map((port) => port.name);
    const fails = node.onError !== undefined && choose(id, 2) === 1;
    if (fails && node.onError === 'route') live.add(`${id}.error`);
    else if (!fails)
      for (const port of info.exclusive ? [plain[choose(id, plain.length)]] : plain)
        live.add(`${id}.${port}`);
  };
  for (const id of Object.keys(flow.nodes)) visit(id);
  return { ran, live };
}

const runs = fc.tuple(flows, fc.array(fc.nat(11), { minLength: 1, maxLength: 12 }), fc.boolean());

function run([flow, choices, second]: [Flow, number[], boolean]): Simulated & { trigger: string } {
  const trigger = second && flow.nodes['n1']?.operator === 'trigger.manual' ? 'n1' : 'n0';
  let at = 0;
  const choose = (_: string, options: number) => (choices[at++ % choices.length] as number) % options;
  return { ...simulate(flow, trigger, choose), trigger };
}

describe('upstream', () => {
  it('holds for exactly the ancestors', () => {
    fc.assert(
      fc.property(flows, (flow) => {
        const context = checkContext(flow, testCatalog, world, () => {});
        const ids = Object.keys(flow.nodes);
        const isUpstream = upstream(context, ids);
        for (const id of ids) {
          const ancestors = reach(context.graph, [id], true);
          ancestors.delete(id);
          expect(ids.filter((other) => isUpstream(id, other))).toEqual(
            ids.filter((other) => ancestors.has(other)),
          );
        }
      }),
    );
  });
});

describe('certainOutputs', () => {
  it('never calls an output of an ancestor certain that is dead in some run', () => {
    fc.assert(
      fc.property(runs, (input) => {
        const [flow] = input;
        const context = checkContext(flow, testCatalog, world, () => {});
        const outputs = [...context.nodes.values()].flatMap((v) =>
          v.ports.outputs.map((port) => `${v.id}.${port.name}`),
        );
        const isCertain = certainOutputs(context, outputs);
        const isUpstream = upstream(context, context.nodes.keys());
        const { ran, live } = run(input);
        for (const id of ran) {
          const dead = outputs.filter(
            (output) => !live.has(output) && isUpstream(id, output.split('.')[0] ?? ''),
          );
          expect(dead.filter((output) => isCertain(id, output))).toEqual([]);
        }
      }),
      { numRuns: 800 },
    );
  });
});

describe('ambiguous-result', () => {
  it('is reported for every flow in which some run ends with two results', () => {
    fc.assert(
      fc.property(runs, (input) => {
        const [flow] = input;
        const { live, trigger } = run(input);
        const graph = flowGraph(flow);
        const leaves = Object.keys(flow.nodes).filter(
          (id) => flow.nodes[id]?.operator !== 'core.log' && (graph.outEdges(id)?.length ?? 0) === 0,
        );
        const results = leaves.filter((id) =>
          [...live].some((output) => output.startsWith(`${id}.`) && !output.endsWith('.error')),
        );
        const warned = check(flow, testCatalog, world).some(
          (p) => p.code === 'ambiguous-result' && p.node === trigger,
        );
        if (results.length > 1) expect(warned).toBe(true);
      }),
      { numRuns: 800 },
    );
  });
});
