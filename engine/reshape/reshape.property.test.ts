import { expect, test } from 'vitest';
import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';
import { fc, propertyRuns } from '../../tests/support/property.ts';
import { WeftError } from '../base/errors.ts';
import type { SubFlowCall } from '../base/services.ts';
import { check } from '../check/check.ts';
import { allNodes } from '../flow/bodies.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { builtIns, flowOf, play } from '../testing/play.ts';
import { dissolve } from './dissolve.ts';
import { extractFlow } from './extract.ts';
import type { Reshaped } from './graphs.ts';
import { inlineFlow } from './inline.ts';
import { moveNode } from './move.ts';
import { wrapNodes } from './wrap.ts';

/**
 * Random flows of maps, branches and merges, whose answer has what each end gave: edges go to later nodes only, and expressions read nodes on a path before. A flow is put
 * into another shape, and as long as that comes without notes its answer stays as it was.
 */
interface Seed {
  kind: 'map' | 'object' | 'if' | 'merge' | 'join';
  sources: number[];
  reads: number;
  tolerant: boolean;
  outer: 'nothing' | 'trigger' | 'lost';
}

const seed: fc.Arbitrary<Seed> = fc.record({
  kind: fc.constantFrom('map', 'map', 'object', 'object', 'if', 'merge', 'join'),
  sources: fc.array(fc.nat(50), { minLength: 2, maxLength: 2 }),
  reads: fc.nat(50),
  tolerant: fc.boolean(),
  outer: fc.constantFrom('nothing', 'nothing', 'nothing', 'trigger', 'lost'),
});

interface Sample {
  readonly flow: Flow;
  readonly from: number;
  readonly count: number;
  readonly operator: 'core.group' | 'data.for-each' | 'data.repeat-until';
}

const sample: fc.Arbitrary<Sample> = fc.record({
  flow: fc.array(seed, { minLength: 2, maxLength: 9 }).map(buildFlow),
  from: fc.nat(8),
  count: fc.integer({ min: 1, max: 4 }),
  operator: fc.constantFrom('core.group', 'core.group', 'data.for-each', 'data.repeat-until'),
});

const RUNS = { numRuns: 600 };

function buildFlow(seeds: readonly Seed[]): Flow {
  const nodes: Record<string, FlowNode> = { t: { operator: 'trigger.manual' } };
  const edges: FlowEdge[] = [];
  const outputs = ['t.out'];
  const before = new Map<string, Set<string>>([['t', new Set()]]);
  seeds.forEach((one, i) => {
    const id = `n${i}`;
    const wanted = one.sources.slice(0, one.kind === 'merge' || one.kind === 'join' ? 2 : 1);
    const from = [...new Set(wanted.map((n) => outputs[n % outputs.length] as string))];
    const near = from.map((ref) => ref.slice(0, ref.indexOf('.')));
    const all = new Set(near.flatMap((name) => [name, ...(before.get(name) ?? [])]));
    before.set(id, all);
    nodes[id] = nodeOf(one, [...all][one.reads % all.size] as string, from.length);
    from.forEach((source, at) => edges.push(edgeOf(source, { id, one, at, nodes })));
    outputs.push(...(one.kind === 'if' ? [`${id}.then`, `${id}.else`] : [`${id}.out`]));
  });
  const ends = outputs.filter((ref) => !edges.some(({ from }) => from === ref));
  nodes['z'] = {
    operator: 'core.join',
    params: { inputs: ends.map((_, at) => ({ name: `e${at}`, required: false })) },
  };
  edges.push(...ends.map((from, at) => ({ from, to: `z.e${at}` })));
  return { format: 2, id: 'random', nodes, edges };
}

function nodeOf({ kind, tolerant, outer }: Seed, read: string, inputs: number): FlowNode {
  const other = tolerant ? `nodes.${read} ?? 'none'` : `nodes.${read}`;
  const more = outer === 'nothing' ? '' : outer === 'trigger' ? ', trigger.n' : ', input.lost';
  switch (kind) {
    case 'map':
      return { operator: 'core.map', params: { value: `{{ [input, ${other}${more}] }}` } };
    case 'object':
      return { operator: 'core.map', params: { value: { v: '{{ input }}', o: `{{ ${other} }}` } } };
    case 'if':
      return { operator: 'logic.if', params: { condition: '{{ toJson(input).length % 2 == 0 }}' } };
    case 'merge':
      return { operator: 'core.merge' };
    case 'join':
      return {
        operator: 'core.join',
        params: { inputs: ['a', 'b'].slice(0, inputs).map((name) => ({ name })) },
      };
  }
}

interface Target {
  readonly id: string;
  readonly one: Seed;
  readonly at: number;
  readonly nodes: Readonly<Record<string, FlowNode>>;
}

function edgeOf(from: string, { id, one, at, nodes }: Target): FlowEdge {
  const source = nodes[from.slice(0, from.indexOf('.'))];
  const isObject = source?.params?.['value'] !== undefined && typeof source.params['value'] === 'object';
  const pick = isObject && one.tolerant ? { pick: 'v' } : {};
  const port = one.kind === 'join' ? (['a', 'b'][at] as string) : 'in';
  return { from, ...pick, to: `${id}.${port}`, ...(one.kind === 'merge' && { order: -at }) };
}

const input = { n: 1, list: [1, 2] };

/** The answer of a run, or the code of its error; flows that are called run in the same turn. */
function answerOf(flow: Flow, called: readonly Flow[] = []): unknown {
  const host = Object.assign(new FakeHost(), { services: { flows: { run: runCalled } } });
  const { run } = play(flow, input, { request: input as never, host });
  return told(run.answer);

  function runCalled(call: SubFlowCall): unknown {
    const target = called.find(({ id }) => id === call.flow) as Flow;
    const inner = play(target, call.input, { request: { body: call.input } as never, host });
    const { answer } = inner.run;
    if (answer?.kind === 'error') throw new WeftError(answer.error.code, answer.error.message);
    return answer?.kind === 'value' ? answer.body : null;
  }
}

function told(answer: ReturnType<typeof play>['run']['answer']): unknown {
  if (answer?.kind === 'error') return { error: answer.error.code };
  return answer?.kind === 'value' ? { value: answer.body } : { nothing: answer?.kind };
}

const { catalog } = builtIns;

function errorsOf(flow: Flow): string[] {
  const world = { routes: [], variables: undefined, secrets: undefined };
  const severe = check(flow, catalog, world).filter(({ severity }) => severity === 'error');
  return severe.map(({ code }) => code).sort();
}

/** Edges that lead nowhere, or are there twice: the flow would not be what was drawn. */
function brokenEdges(flow: Flow): string[] {
  return errorsOf(flow).filter((code) => code === 'dangling-edge' || code === 'duplicate-edge');
}

function certain<T extends object>(made: Reshaped<T>): made is Extract<Reshaped<T>, { ok: true }> {
  return made.ok && made.notes.length === 0;
}

function selectionOf({ flow, from, count }: Sample): string[] {
  const ids = Object.keys(flow.nodes).filter((id) => id !== 't' && id !== 'z');
  const start = from % ids.length;
  return ids.slice(start, start + count);
}

const seen = { wrapped: 0, dissolved: 0, extracted: 0, inlined: 0, moved: 0, passed: 0 };

/** A flow with a container: the selection within it, in a loop as often as the loop repeats. */
function contained(one: Sample): { readonly flow: Flow; readonly container: string } | undefined {
  const params = {
    'core.group': {},
    'data.for-each': { items: '{{ [1, 2, input] }}' },
    'data.repeat-until': { until: '{{ index >= 1 }}' },
  }[one.operator];
  const made = wrapNodes(one.flow, selectionOf(one), { operator: one.operator, params }, catalog);
  if (!made.ok) return undefined;
  expect(brokenEdges(made.flow)).toEqual([]);
  expect(new Set(Object.keys(allNodes(made.flow)))).toEqual(
    new Set([...Object.keys(one.flow.nodes), made.container, ...Object.keys(made.flow.nodes)]),
  );
  if (one.operator === 'core.group' && certain(made)) {
    seen.wrapped++;
    expect(answerOf(made.flow)).toEqual(answerOf(one.flow));
  }
  return made;
}

test('groups that are made and dissolved leave every answer as it was', () => {
  fc.assert(
    fc.property(sample, (one) => {
      const made = contained({ ...one, operator: 'core.group' });
      if (made === undefined) return;
      const open = dissolve(made.flow, made.container, catalog);
      if (open.ok) expect(brokenEdges(open.flow)).toEqual([]);
      if (!certain(open)) return;
      seen.dissolved++;
      expect(answerOf(open.flow)).toEqual(answerOf(made.flow));
      expect(allNodes(open.flow)[made.container]).toBeUndefined();
    }),
    RUNS,
  );
  expect(Math.min(seen.wrapped, seen.dissolved)).toBeGreaterThan(propertyRuns(RUNS.numRuns) / 25);
});

test('bodies that become flows and come back leave every answer as it was', () => {
  fc.assert(
    fc.property(sample, (one) => {
      const made = contained(one);
      if (made === undefined) return;
      const answer = answerOf(made.flow);
      const out = extractFlow(made.flow, made.container, { id: 'called' }, catalog);
      if (!out.ok) return;
      expect(out.notes).toEqual([]);
      expect([...brokenEdges(out.flow), ...brokenEdges(out.called)]).toEqual([]);
      seen.extracted++;
      if (Object.hasOwn(out.called.nodes, 'start')) seen.passed++;
      expect(answerOf(out.flow, [out.called])).toEqual(answer);
      if (errorsOf(made.flow).length === 0) expect(errorsOf(out.called)).toEqual([]);
      const holder = Object.entries(allNodes(out.flow)).find(
        ([, { params }]) => params?.['flow'] === 'called',
      );
      const back = inlineFlow(out.flow, holder?.[0] ?? '', out.called, catalog);
      if (!back.ok) throw new Error(back.reason);
      seen.inlined++;
      expect(brokenEdges(back.flow)).toEqual([]);
      expect(answerOf(back.flow)).toEqual(answer);
    }),
    RUNS,
  );
  expect(Math.min(seen.extracted, seen.inlined, seen.passed)).toBeGreaterThan(
    propertyRuns(RUNS.numRuns) / 25,
  );
});

test('nodes that move in and out of a group keep their id, and without notes the answer', () => {
  fc.assert(
    fc.property(sample, (one) => {
      const made = contained({ ...one, operator: 'core.group' });
      if (made === undefined) return;
      const all = Object.keys(allNodes(made.flow));
      // Few of them can move.
      for (const id of all.filter((other) => other !== 't' && other !== made.container)) {
        const isInside = !Object.hasOwn(made.flow.nodes, id);
        const moved = moveNode(made.flow, id, isInside ? undefined : made.container, catalog);
        if (!moved.ok) continue;
        expect(brokenEdges(moved.flow)).toEqual([]);
        expect(Object.keys(allNodes(moved.flow)).sort()).toEqual(all.toSorted());
        expect(Object.hasOwn(moved.flow.nodes, id)).toBe(isInside);
        if (!certain(moved)) continue;
        seen.moved++;
        expect(answerOf(moved.flow)).toEqual(answerOf(made.flow));
      }
    }),
    RUNS,
  );
  expect(seen.moved).toBeGreaterThan(propertyRuns(RUNS.numRuns) / 25);
});

test('a node that takes several values from outside at one input is in no group without what gives them', () => {
  const flow = flowOf({ t: 'trigger.manual', a: 'core.map', b: 'core.map', m: 'core.merge' }, [
    't > a',
    't > b',
    'a > m',
    'b > m',
  ]);
  const group = (...ids: string[]) => wrapNodes(flow, ids, { operator: 'core.group', params: {} }, catalog);
  expect(group('m')).toMatchObject({
    ok: false,
    reason: expect.stringContaining('select the nodes that give them too'),
  });
  expect(group('a', 'm')).toMatchObject({ ok: true });
  expect(group('a', 'b', 'm')).toMatchObject({ ok: true });
});
