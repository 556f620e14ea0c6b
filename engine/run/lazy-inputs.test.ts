import { describe, expect, test } from 'vitest';
import { check } from '../check/index.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { bodyOf, builtIns, flowOf, type Played, play } from '../testing/play.ts';
import { RunState } from './run.ts';

const t = 'trigger.manual';
const map = (value: unknown) => ({ operator: 'core.map', params: { value } });

/** The nodes that ran, and those that were not needed. */
function ran({ events }: Played): { ran: string[]; needless: string[] } {
  const of = (kind: string) => events.flatMap((e) => (e.kind === kind ? [(e as { node: string }).node] : []));
  const needless = events.flatMap((e) =>
    e.kind === 'node-skipped' && e.reason === 'not-needed' ? [e.node] : [],
  );
  return { ran: of('node-started').sort(), needless: needless.sort() };
}

/** A cheap way, and an expensive one of two nodes. */
const twoWays = flowOf(
  { t, cheap: map('{{ input.kept }}'), ask: map('asked'), clean: map('{{ input }}!'), one: 'logic.choose' },
  ['t > cheap', 't > ask', 'ask > clean', 'cheap > one #0', 'clean > one #1'],
);

describe('a lazy input', () => {
  test('does not run the later branch if the earlier one brings a value', () => {
    const scene = play(twoWays, { kept: 'kept' });
    expect(bodyOf(scene)).toBe('kept');
    expect(ran(scene)).toEqual({ ran: ['cheap', 'one', 't'], needless: ['ask', 'clean'] });
  });

  test('runs the later branch if the earlier one brings null or nothing', () => {
    const scene = play(twoWays, { kept: null });
    expect(bodyOf(scene)).toBe('asked!');
    expect(ran(scene).needless).toEqual([]);
    const disabled = {
      ...twoWays,
      nodes: { ...twoWays.nodes, cheap: { operator: 'logic.if', params: { condition: '{{ false }}' } } },
    };
    const edges = twoWays.edges.map((edge) =>
      edge.from === 'cheap.out' ? { ...edge, from: 'cheap.then' } : edge,
    );
    expect(bodyOf(play({ ...disabled, edges }, {}))).toBe('asked!');
  });

  test('runs what others need too, in any case', () => {
    const flow = flowOf({ t, cheap: map(1), ask: map(2), log: 'core.log', one: 'logic.choose' }, [
      't > cheap',
      't > ask',
      'ask > log',
      'cheap > one #0',
      'ask > one #1',
    ]);
    expect(ran(play(flow)).ran).toEqual(['ask', 'cheap', 'log', 'one', 't']);
  });

  test('goes on through several ways and nested ones, as far as it must', () => {
    const flow = flowOf(
      {
        t,
        a: map(null),
        b: map('{{ input.b }}'),
        c: map('c'),
        d: map('d'),
        inner: 'logic.choose',
        one: 'logic.choose',
      },
      [
        't > a',
        't > b',
        't > c',
        't > d',
        'b > inner #0',
        'c > inner #1',
        'a > one #0',
        'inner > one #1',
        'd > one #2',
      ],
    );
    const first = play(flow, { b: 'b' });
    expect([bodyOf(first), ran(first).needless]).toEqual(['b', ['c', 'd']]);
    const second = play(flow, { b: null });
    expect([bodyOf(second), ran(second).needless]).toEqual(['c', ['d']]);
  });

  test('tells the same events to those who follow later', () => {
    const { plan } = play(twoWays);
    const options = { id: 'r', request: {}, output: { kept: 1 }, vars: {} };
    const skipped = new RunState(plan, options, new FakeHost())
      .events()
      .filter(({ kind }) => kind === 'node-skipped');
    expect(skipped).toMatchObject([
      { node: 'ask', reason: 'not-needed' },
      { node: 'clean', reason: 'not-needed' },
    ]);
  });

  test('does not hold up a stream that several branches read', async () => {
    const flow = flowOf(
      { t, s: 'core.streamify', cheap: 'core.unstreamify', ask: 'core.unstreamify', one: 'logic.choose' },
      ['t > s', 's > cheap', 's > ask', 'cheap > one #0', 'ask > one #1'],
    );
    const many = Array.from({ length: 5000 }, (_, i) => i);
    const scene = play(flow, many);
    await scene.host.runAll();
    expect(bodyOf(scene)).toEqual(many);
  });

  test('leaves what may not run out of what later nodes can count on', () => {
    const reader = { ...twoWays, nodes: { ...twoWays.nodes, r: map('{{ nodes.ask.out }}') } };
    const flow = { ...reader, edges: [...reader.edges, { from: 'one.out', to: 'r.in' }] };
    const world = { routes: [], variables: [], secrets: [] };
    const problems = check(flow, builtIns.catalog, world).map(({ code }) => code);
    expect(problems).toContain('maybe-skipped');
  });
});
