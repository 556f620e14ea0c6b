import { describe, expect, test } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import { fc } from '../../../tests/support/property.ts';
import { type Doc, edgeId } from './document.ts';
import { nodeOf, removeNodes } from './edit.ts';
import { mergeDocs, type Side } from './merge-flow.ts';
import { docOf } from '../testing/docs.ts';
import { type Draft, produce } from 'immer';

/** Two people edit the same flow: the result, against M1 to M4 of `merge-flow.ts`. */
const IDS = ['a', 'b', 'c', 'd', 'e'];

type Edit = (doc: Doc) => Doc;

const id = fc.constantFrom(...IDS);
const value = fc.constantFrom<unknown>('x', 'y', 1, { deep: [1] });
const change =
  (recipe: (draft: Draft<Doc>) => void): Edit =>
  (doc) =>
    produce(doc, recipe);

function setField(node: string, path: 'name' | 'params' | 'retry', key: string, to: unknown): Edit {
  return change((doc) => {
    const found = doc.flow.nodes[node] as Record<string, unknown> | undefined;
    if (!found) return;
    if (path === 'name') found['name'] = String(to);
    else if (to === 'x') delete found[path];
    else found[path] = { ...(found[path] as object), [key]: to };
  });
}

const put = (node: string, operator: string): Edit =>
  change((doc) => {
    doc.flow.nodes[node] = { operator };
    doc.layout.nodes[node] ??= { x: 0, y: 0 };
  });
const wire = (from: string, to: string, order: number): Edit =>
  change((doc) => {
    const edge = { from: `${from}.out`, to: `${to}.in`, ...(order > 0 && { order }) };
    doc.flow.edges = doc.flow.edges.filter((one) => edgeId(one) !== edgeId(edge));
    if (doc.flow.nodes[from] && doc.flow.nodes[to]) doc.flow.edges.push(edge);
  });
const unwire = (at: number): Edit =>
  change((doc) => {
    doc.flow.edges.splice(at, 1);
  });
const setSetting = (key: 'concurrency' | 'maxRuns', to: number): Edit =>
  change((doc) => {
    doc.flow.settings = { ...doc.flow.settings, [key]: to };
  });

const key = fc.constantFrom('p', 'q');
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc
    .tuple(id, fc.constantFrom('name' as const, 'params' as const, 'retry' as const), key, value)
    .map((of) => setField(...of)),
  fc.tuple(id, fc.constantFrom('one', 'two')).map((of) => put(...of)),
  id.map((node) => change((doc) => removeNodes(doc, [node]))),
  fc.tuple(id, id, fc.nat(2)).map((of) => wire(...of)),
  fc.nat(4).map(unwire),
  fc
    .tuple(fc.constantFrom('concurrency' as const, 'maxRuns' as const), fc.integer({ min: 1, max: 3 }))
    .map((of) => setSetting(...of)),
  value.map((name) =>
    change((doc) => {
      doc.flow.name = String(name);
    }),
  ),
);
const edits = fc.array(edit, { maxLength: 6 });
const start = docOf({ a: 'one', b: { operator: 'one', params: { p: 1 } }, c: 'two' }, [
  'a.out>b.in',
  'b.out>c.in',
]);
const apply = (doc: Doc, list: readonly Edit[]): Doc => list.reduce((now, one) => one(now), doc);
const three = fc.tuple(edits, edits, edits).map(([before, mine, theirs]) => {
  const base = apply(start, before);
  return { base, mine: apply(base, mine), theirs: apply(base, theirs) };
});

/** The parts of a flow that count: without the order of keys and of edges to different ports. */
function meaning({ flow }: Doc): unknown {
  return { ...flow, edges: [...flow.edges].sort((x, y) => (x.to < y.to ? -1 : x.to > y.to ? 1 : 0)) };
}

const holds = <T>(arbitrary: fc.Arbitrary<T>, predicate: (of: T) => void): void =>
  fc.assert(fc.property(arbitrary, predicate), { numRuns: 300 });

describe('merging two edits of one flow', () => {
  test('what one side alone changed is as that side has it, and what both changed alike is no clash (M1)', () =>
    holds(three, ({ base, mine, theirs }) => {
      for (const [m, t, expected] of [
        [mine, base, mine],
        [base, theirs, theirs],
        [mine, mine, mine],
      ] as const) {
        const { doc, clashes } = mergeDocs(base, m, t);
        expect(clashes).toEqual([]);
        expect(meaning(doc)).toEqual(meaning(expected));
      }
    }));

  test('without a clash it does not matter who merges (M1)', () =>
    holds(three, ({ base, mine, theirs }) => {
      const [here, there] = [mergeDocs(base, mine, theirs), mergeDocs(base, theirs, mine)];
      expect(there.clashes.map(({ place }) => place).sort()).toEqual(
        here.clashes.map(({ place }) => place).sort(),
      );
      if (here.clashes.length === 0) expect(meaning(there.doc)).toEqual(meaning(here.doc));
    }));

  test('edits of different nodes never clash, and each node is as the one who edited it has it (M1)', () => {
    const fieldOf = (nodes: readonly string[]) =>
      fc.array(
        fc
          .tuple(fc.constantFrom(...nodes), fc.constantFrom('name' as const, 'params' as const), key, value)
          .map((of) => setField(...of)),
        { maxLength: 5 },
      );
    holds(fc.tuple(fieldOf(['a', 'b']), fieldOf(['c', 'd'])), ([left, right]) => {
      const base = apply(start, [put('d', 'two')]);
      const [mine, theirs] = [apply(base, left), apply(base, right)];
      const { doc, clashes } = mergeDocs(base, mine, theirs);
      expect(clashes).toEqual([]);
      const pick = (node: string): FlowNode | undefined =>
        (['a', 'b'].includes(node) ? mine : theirs).flow.nodes[node];
      for (const node of ['a', 'b', 'c', 'd']) expect(doc.flow.nodes[node]).toEqual(pick(node));
    });
  });

  test('each clash is as it was chosen: all as mine is mine there, all as theirs is the other one’s merge (M2)', () =>
    holds(three, ({ base, mine, theirs }) => {
      const choose = (side: Side) => () => side;
      const theirsWins = mergeDocs(base, mine, theirs, choose('theirs'));
      const swapped = mergeDocs(base, theirs, mine, choose('mine'));
      expect(meaning(theirsWins.doc)).toEqual(meaning(swapped.doc));
      for (const clash of mergeDocs(base, mine, theirs).clashes) expect(clash.mine).not.toEqual(clash.theirs);
    }));

  test('no edge hangs in the air, and every node has a place (M3)', () =>
    holds(three, ({ base, mine, theirs }) => {
      const { doc } = mergeDocs(base, mine, theirs);
      for (const { from, to } of doc.flow.edges)
        expect([nodeOf(from), nodeOf(to)].every((node) => doc.flow.nodes[node] !== undefined)).toBe(true);
      expect(Object.keys(doc.layout.nodes).sort()).toEqual(Object.keys(doc.flow.nodes).sort());
    }));

  test('merging again changes nothing (M4)', () =>
    holds(three, ({ base, mine, theirs }) => {
      const once = mergeDocs(base, mine, theirs);
      const twice = mergeDocs(base, once.doc, theirs);
      expect(meaning(twice.doc)).toEqual(meaning(once.doc));
    }));
});

describe('what clashes', () => {
  const base = docOf({ a: { operator: 'one', name: 'A', params: { p: 1, q: 1 } }, b: 'two' }, ['a.out>b.in']);
  const clashesOf = (mine: readonly Edit[], theirs: readonly Edit[]) =>
    mergeDocs(base, apply(base, mine), apply(base, theirs)).clashes;

  test('the same field, by its name; other fields of the node are taken from both', () => {
    const mine = [setField('a', 'params', 'p', 2), setField('a', 'name', '', 'mine')];
    const theirs = [setField('a', 'params', 'p', 3), setField('a', 'params', 'q', 3)];
    expect(clashesOf(mine, theirs)).toEqual([
      { place: 'nodes/a/params.p', node: 'a', field: 'params.p', mine: 2, theirs: 3 },
    ]);
    const { doc } = mergeDocs(base, apply(base, mine), apply(base, theirs));
    expect(doc.flow.nodes['a']).toEqual({ operator: 'one', name: 'mine', params: { p: 2, q: 3 } });
  });

  test('a node deleted there and changed here, with what it is wired to', () => {
    const gone = change((doc) => removeNodes(doc, ['a']));
    expect(clashesOf([setField('a', 'params', 'p', 2)], [gone])).toMatchObject([
      { place: 'nodes/a', node: 'a' },
    ]);
    const { doc } = mergeDocs(base, apply(base, [setField('a', 'params', 'p', 2)]), apply(base, [gone]));
    expect(doc.flow.edges).toEqual(base.flow.edges);
    const left = mergeDocs(
      base,
      apply(base, [setField('a', 'params', 'p', 2)]),
      apply(base, [gone]),
      () => 'theirs',
    );
    expect([Object.keys(left.doc.flow.nodes), left.doc.flow.edges]).toEqual([['b'], []]);
  });

  test('a node deleted there and wired anew here', () => {
    const gone = change((doc) => removeNodes(doc, ['b']));
    expect(clashesOf([wire('b', 'a', 0)], [gone])).toMatchObject([{ place: 'nodes/b', theirs: undefined }]);
  });

  test('edges into the same port, a setting, the name', () => {
    expect(clashesOf([wire('b', 'b', 0)], [unwire(0)])).toMatchObject([{ place: 'edges/b.in', node: 'b' }]);
    expect(clashesOf([setSetting('maxRuns', 1)], [setSetting('maxRuns', 2)])).toMatchObject([
      { place: 'flow/settings.maxRuns', field: 'settings.maxRuns', mine: 1, theirs: 2 },
    ]);
    expect(clashesOf([setSetting('maxRuns', 1)], [setSetting('concurrency', 2)])).toEqual([]);
  });

  test('values of one port keep the order of the side that has changed it, whoever merges', () => {
    const joined = docOf({ a: 'one', b: 'one', c: 'one', j: 'two' }, ['b.out>j.in', 'c.out>j.in']);
    const between = docOf({ a: 'one', b: 'one', c: 'one', j: 'two' }, [
      'b.out>j.in',
      'a.out>j.in',
      'c.out>j.in',
    ]);
    for (const { doc } of [mergeDocs(joined, joined, between), mergeDocs(joined, between, joined)])
      expect(doc.flow.edges).toEqual(between.flow.edges);
  });

  test('a node of theirs comes with the edges as they have them', () => {
    const nodes = { a: 'one', b: 'two' };
    const from = docOf(nodes, ['a.out>b.in']);
    const mine = apply(from, [setField('a', 'name', '', 'mine')]);
    const last = change((doc) => {
      doc.flow.edges = [{ from: 'a.out', to: 'b.in', order: 1 }];
    });
    const theirs = apply(docOf({ ...nodes, a: 'two' }, []), [last]);
    const { doc } = mergeDocs(from, mine, theirs, () => 'theirs');
    expect(doc.flow.edges).toEqual([{ from: 'a.out', to: 'b.in', order: 1 }]);
  });
});

test('two people change different nodes of one body: both changes stay, without a question', () => {
  const inner = (a: string, b: string): FlowNode => ({
    operator: 'core.group',
    body: {
      start: 'given',
      nodes: {
        a: { operator: 'core.map', params: { value: a } },
        b: { operator: 'core.map', params: { value: b } },
      },
      edges: [{ from: 'given.out', to: 'a.in' }],
    },
  });
  const doc = (a: string, b: string): Doc => docOf({ group: inner(a, b) });
  const merged = mergeDocs(doc('1', '2'), doc('mine', '2'), doc('1', 'theirs'));
  expect(merged.clashes).toEqual([]);
  expect(merged.doc.flow.nodes['group']).toEqual(inner('mine', 'theirs'));
});
