import { beforeAll, expect, it } from 'vitest';
import { formatFlow, formatLayout } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import { Flow, type FlowEdge, type FlowNode } from '#shared/flow.ts';
import { Layout } from '#shared/layout.ts';
import { builtInRegistry } from '../service/testing/flow-fixture.ts';
import { triggersOf } from '../service/trigger-routes.ts';
import { AwelFlow, unwrapped } from './awel-flow.ts';
import { flowObject } from './flow-object.ts';
import { importFlow } from './import-flow.ts';
import { fc } from '../../../tests/support/property.ts';

let catalog: Catalog;
beforeAll(async () => {
  ({ catalog } = await builtInRegistry());
});

const id = fc.oneof(
  fc.stringMatching(/^[a-z][a-z0-9_]{0,9}$/).filter((name) => name !== 'constructor' && name !== 'prototype'),
  fc.constantFrom('a', 'b', 'c', 'a__b', 'x_'),
);
const key = fc.string().filter((name) => name !== '__proto__');
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant('{{ input }}')),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
}));
const extra = fc.dictionary(
  key.map((name) => `x ${name}`),
  json,
  { maxKeys: 2 },
);

/** A node of a known or unknown operator, with its own params and any others. */
function node(operators: Catalog['operators']): fc.Arbitrary<FlowNode> {
  const types = [...Object.keys(operators), 'awel.agent_branch_operator', 'my.own'];
  return fc.constantFrom(...types).chain((operator) => {
    const names = Object.keys((operators[operator]?.params['properties'] as object | undefined) ?? {});
    const name = names.length > 0 ? fc.oneof(fc.constantFrom(...names), key) : key;
    return fc.tuple(nodeFields(name), extra).map(([fields, more]) => ({ operator, ...fields, ...more }));
  });
}

function nodeFields(param: fc.Arbitrary<string>) {
  return fc.record(
    {
      name: fc.string({ maxLength: 20 }),
      description: fc.string(),
      disabled: fc.boolean(),
      params: fc.dictionary(param, json, { maxKeys: 4 }),
      onError: fc.constantFrom('fail' as const, 'route' as const),
      timeoutMs: fc.integer({ min: 1, max: 1000 }),
    },
    { requiredKeys: [] },
  );
}

const port = fc.oneof(fc.constantFrom('in', 'out', 'error'), id);

/** Edges between existing nodes, and some that lead nowhere. */
function edges(ids: readonly string[]): fc.Arbitrary<FlowEdge[]> {
  const end = fc.tuple(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...ids) }, id), port);
  const ref = end.map(([at, name]) => `${at}.${name}`);
  const rest = fc.record({ order: fc.integer({ min: 0, max: 9 }), note: json }, { requiredKeys: [] });
  const edge = fc.tuple(ref, ref, rest).map(([from, to, more]) => ({ from, to, ...more }));
  return fc.uniqueArray(edge, { maxLength: 8, selector: ({ from, to }) => `${from} ${to}` });
}

function flow(operators: Catalog['operators']): fc.Arbitrary<Flow> {
  return fc
    .dictionary(id, node(operators), { minKeys: 1, maxKeys: 6 })
    .chain((nodes) =>
      fc
        .tuple(
          id,
          fc.record({ name: fc.string(), description: fc.string(), settings: extra }, { requiredKeys: [] }),
          edges(Object.keys(nodes)),
          extra,
        )
        .map(([own, fields, links, more]) =>
          Flow.parse({ format: 1, id: own, ...fields, nodes, edges: links, ...more }),
        ),
    );
}

const point = { x: fc.double({ noNaN: true, noDefaultInfinity: true }), y: fc.integer() };
const size = { width: fc.integer({ min: 1, max: 900 }), height: fc.integer({ min: 1, max: 900 }) };

function layout(ids: readonly string[]): fc.Arbitrary<Layout> {
  const place = fc.record({ ...point, ...size }, { requiredKeys: ['x', 'y'] });
  const rest = fc.record(
    {
      notes: fc.array(fc.record({ ...point, id, text: fc.string() }), { maxLength: 2 }),
      viewport: fc.record({ ...point, zoom: fc.constantFrom(0.5, 1, 2) }),
    },
    { requiredKeys: [] },
  );
  return fc
    .tuple(fc.tuple(...ids.map(() => place)), rest)
    .map(([places, more]) =>
      Layout.parse({ format: 1, nodes: Object.fromEntries(ids.map((one, i) => [one, places[i]])), ...more }),
    );
}

/** The text of an export, read as an import reads it. */
function exported(given: Flow, places: Layout): AwelFlow {
  const { name, description } = given;
  const about = {
    id: given.id,
    name,
    description,
    state: 'live',
    problems: [],
    triggers: triggersOf(given, catalog),
    readOnly: false,
    updatedAt: '2026-01-01T00:00:00.000Z',
    file: `${given.id}.json`,
  } as const;
  const text = JSON.stringify({ flow: flowObject(about, given, places, catalog) });
  return AwelFlow.parse(unwrapped(JSON.parse(text)));
}

const seeds = () =>
  flow(catalog.operators).chain((one) => fc.tuple(fc.constant(one), layout(Object.keys(one.nodes))));

it('a flow and its layout come back from an export as they were', () => {
  fc.assert(
    fc.property(seeds(), ([given, places]) => {
      const back = importFlow(exported(given, places), { id: given.id, catalog });
      expect(formatFlow(back.flow)).toBe(formatFlow(given));
      expect(formatLayout(back.layout)).toBe(formatLayout(places));
      expect(back.problems).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

it('a client that drops our keys changes nothing of an existing flow', () => {
  fc.assert(
    fc.property(seeds(), ([given, places]) => {
      const awel = exported(given, places);
      const nodes = awel.flow_data.nodes.map((one) => ({ ...one, data: { ...one.data, weft: undefined } }));
      const wired = new Set(
        given.edges.flatMap(({ from, to }) => [from, to]).map((ref) => ref.split('.')[0]),
      );
      fc.pre([...wired].every((one) => one !== undefined && Object.hasOwn(given.nodes, one)));
      const links = awel.flow_data.edges.map(({ weft: _weft, ...edge }) => edge);
      const dropped = { ...awel, weft: undefined, flow_data: { ...awel.flow_data, nodes, edges: links } };
      const back = importFlow(dropped, { id: given.id, catalog, before: { flow: given, layout: places } });
      expect(formatFlow(back.flow)).toBe(formatFlow(given));
      expect(formatLayout(back.layout)).toBe(formatLayout(places));
    }),
    { numRuns: 40 },
  );
});
