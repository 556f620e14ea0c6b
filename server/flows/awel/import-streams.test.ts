import { beforeAll, describe, expect, it } from 'vitest';
import { check } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import { builtInRegistry } from '../service/testing/flow-fixture.ts';
import { AwelFlow } from './awel-flow.ts';
import { importFlow } from './import-flow.ts';
import { sheetOf } from './sheet.ts';
import { originalFlow, type ShortFlow } from './testing/original-flow.ts';

let catalog: Catalog;
beforeAll(async () => {
  ({ catalog } = await builtInRegistry());
});

function imported(short: ShortFlow) {
  const { flow, problems } = importFlow(AwelFlow.parse(originalFlow(short)), { id: 'chain', catalog });
  const world = { routes: [], variables: [], secrets: undefined };
  return { flow, problems: [...problems, ...check(flow, catalog, world)] };
}

const agent = { name: 'agent_operator' };
const trigger = { name: 'agent_trigger' };

it('the resources of an agent become its tools, or are noted', () => {
  const resource = (name: string, values: object) => ({ name, isResource: true, values: { ...values } });
  const { flow, problems } = imported({
    nodes: {
      t: trigger,
      a: { name: 'agent_operator', resources: ['awel_agent'] },
      g: {
        name: 'agent_operator_agent',
        isResource: true,
        values: { agent_profile: 'Ada' },
        resources: ['first', 'second', 'third'],
      },
      k: resource('agent_resource_knowledge', { agent_resource_name: 'docs', agent_resource_value: 'tea' }),
      d: resource('agent_operator_resource', {
        agent_resource_type: 'database',
        agent_resource_value: 'Shop-DB',
      }),
      x: resource('agent_operator_resource', { agent_resource_type: 'tool', agent_resource_value: 'find' }),
    },
    edges: ['t.0 > a.0', 'g.0 > a.0', 'k.0 > g.1', 'd.0 > g.2', 'x.0 > g.3'],
  });
  expect(flow.nodes['a']?.params?.['agent']).toEqual({
    name: 'Ada',
    prompt: '',
    tools: [
      { type: 'knowledge', name: 'docs', value: 'tea' },
      { type: 'database', name: 'shop_db', value: 'shop_db' },
    ],
  });
  expect(problems.map(({ severity, message }) => [severity, message])).toEqual([
    ['warning', expect.stringContaining('the knowledge space "tea" has to exist')],
    ['warning', expect.stringContaining('the connection "shop_db" has to exist')],
    ['warning', expect.stringContaining('(tool find) of the agent was not imported')],
  ]);
  expect(sheetOf(flow, new Set(), catalog).hosts).toEqual([]);
});

describe('agents one after the other', () => {
  it('hand on the question and the answer as messages', () => {
    const { flow, problems } = imported({
      nodes: { t: trigger, a: agent, b: agent },
      edges: ['t.0 > a.0', 'a.0 > b.0'],
    });
    expect(problems).toEqual([]);
    expect(flow.edges).toEqual([
      { from: 't.out', to: 'a.in' },
      { from: 'handed_on.out', to: 'b.in' },
      { from: 'a.out', to: 'text.in' },
      { from: 't.out', to: 'handed_on.question' },
      { from: 'text.out', to: 'handed_on.answer' },
    ]);
    expect(flow.nodes).toMatchObject({
      text: { operator: 'core.reduce' },
      handed_on: { operator: 'core.join' },
    });
  });

  it('keep the question across several of them, in any order of the file', () => {
    const { flow, problems } = imported({
      nodes: { t: trigger, c: agent, b: agent, a: agent },
      edges: ['b.0 > c.0', 'a.0 > b.0', 't.0 > a.0'],
    });
    expect(problems).toEqual([]);
    const question = (to: string) => flow.edges.find((edge) => edge.to === to)?.from;
    const handovers = Object.keys(flow.nodes).filter((id) => id.startsWith('handed_on'));
    expect(handovers.map((id) => question(`${id}.question`)).sort()).toEqual(['handed_on.out', 't.out']);
  });

  it('pass one text to a join of branches, collected once for all of its readers', () => {
    const { flow, problems } = imported({
      nodes: {
        t: trigger,
        a: agent,
        b: agent,
        j: { name: 'agent_branch_join_operator' },
        k: { name: 'agent_branch_join_operator' },
      },
      edges: ['t.0 > a.0', 't.0 > b.0', 'a.0 > j.0', 'b.0 > j.0', 'a.0 > k.0'],
    });
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const texts = Object.values(flow.nodes).filter(({ operator }) => operator === 'core.reduce');
    expect(texts).toHaveLength(2);
  });
});

it('a stream passes unchanged to operators for streams, and a flow with a cycle stays unchanged', () => {
  const { flow } = imported({
    nodes: {
      t: { name: 'common_llm_http_trigger', values: { endpoint: '/a' } },
      m: { name: 'streaming_llm_operator' },
      o: { name: 'openai_streaming_output_operator' },
    },
    edges: ['t.0 > m.0', 'm.0 > o.0'],
  });
  expect(Object.values(flow.nodes).filter(({ operator }) => operator === 'core.reduce')).toEqual([]);
  const cyclic = imported({ nodes: { a: agent, b: agent }, edges: ['a.0 > b.0', 'b.0 > a.0'] });
  expect(Object.keys(cyclic.flow.nodes)).toEqual(['a', 'b']);
});
