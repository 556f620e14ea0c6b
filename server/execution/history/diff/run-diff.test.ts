import { describe, expect, test } from 'vitest';
import type { RunEvent } from '#shared/run-event.ts';
import type { KeptRun } from '../kept-run.ts';
import { runDiff } from './run-diff.ts';

type Draft = Record<string, unknown> & { kind: string };

function kept(drafts: readonly Draft[], version = 'v1'): KeptRun {
  const events = drafts.map((draft, i) => ({ run: 'r', seq: i + 1, at: i, ...draft }) as unknown as RunEvent);
  return {
    summary: {
      run: 'r',
      flow: 'sum',
      version,
      trigger: 't',
      source: 'manual',
      startedAt: 0,
      status: 'ok',
      recorded: true,
    },
    events,
  };
}

const went = (node: string, value: unknown, ms = 1): Draft[] => [
  { kind: 'node-started', node, attempt: 1 },
  { kind: 'node-output', node, port: 'out', value },
  { kind: 'node-finished', node, ms },
];
const failed = (node: string, message: string): Draft[] => [
  { kind: 'node-started', node, attempt: 1 },
  { kind: 'node-failed', node, error: { code: 'stopped', message, data: 'x' }, handled: 'no' },
];

describe('the difference of two runs', () => {
  test('does not tell the rounds of a body apart, but what the node around it gave', () => {
    const inBody = (value: unknown) => went('price', value).map((draft) => ({ ...draft, round: 'loop#0' }));
    const before = kept([...inBody(1), ...inBody(2), ...went('loop', [1, 2])]);
    const after = kept([...inBody(3), ...went('loop', [3])]);
    expect(runDiff(before, after).nodes).toMatchObject([{ node: 'loop' }]);
  });

  test('is nothing for the same run twice', () => {
    const run = kept([{ kind: 'run-started', input: 1 }, ...went('a', { b: [1] }), ...failed('c', 'no')]);
    expect(runDiff(run, run)).toMatchObject({ sameVersion: true, input: [], nodes: [], same: 2 });
  });

  test('names the field of each node that differs, and the number of the others', () => {
    const before = kept([
      { kind: 'run-started', input: { n: 1 } },
      ...went('a', { b: [1, 2] }),
      ...went('c', 1),
    ]);
    const after = kept(
      [{ kind: 'run-started', input: { n: 2 } }, ...went('a', { b: [1, 3] }), ...went('c', 1)],
      'v2',
    );
    expect(runDiff(before, after)).toMatchObject({
      sameVersion: false,
      input: [{ place: 'input.n', before: 1, after: 2 }],
      nodes: [
        {
          node: 'a',
          status: { before: 'ok', after: 'ok' },
          ms: { before: 1, after: 1 },
          changes: [{ place: 'out.b[1]', before: 2, after: 3 }],
        },
      ],
      same: 1,
    });
  });

  test('shows the status of a node that failed, was skipped, stayed open or is missing', () => {
    const before = kept([
      ...went('a', 1),
      ...went('b', 1),
      { kind: 'node-started', node: 'c', attempt: 1 },
      ...went('d', 1),
    ]);
    const after = kept([
      ...failed('a', 'no'),
      { kind: 'node-skipped', node: 'b', reason: 'disabled' },
      ...went('c', 1),
    ]);
    const { nodes } = runDiff(before, after);
    expect(nodes.map(({ node, status }) => [node, status.before, status.after])).toEqual([
      ['a', 'ok', 'failed'],
      ['b', 'ok', 'skipped'],
      ['c', 'open', 'ok'],
      ['d', 'ok', 'none'],
    ]);
    expect(nodes[0]?.changes).toContainEqual({
      place: 'error',
      before: undefined,
      after: { code: 'stopped', message: 'no' },
    });
  });

  test('compares streams by the number of their items', () => {
    const stream = (count: number): Draft[] => [
      { kind: 'node-chunk', node: 's', port: 'out', count: 1 },
      { kind: 'node-chunk', node: 's', port: 'out', count },
      { kind: 'node-finished', node: 's' },
    ];
    expect(runDiff(kept(stream(64)), kept(stream(64))).nodes).toEqual([]);
    expect(runDiff(kept(stream(64)), kept(stream(65))).nodes[0]?.changes).toEqual([
      { place: 'out', before: { $items: 64 }, after: { $items: 65 } },
    ]);
  });

  test('reports time only where it doubled, by a tenth of a second or more', () => {
    const slow = (before: number, after: number) =>
      runDiff(kept(went('a', 1, before)), kept(went('a', 1, after))).nodes.length;
    expect([slow(1, 90), slow(100, 199), slow(100, 200), slow(300, 150)]).toEqual([0, 0, 1, 1]);
  });

  test('lists a hundred changes of a node and counts the others', () => {
    const list = (n: number) =>
      kept(
        went(
          'a',
          Array.from({ length: 130 }, () => n),
        ),
      );
    const [node] = runDiff(list(1), list(2)).nodes;
    expect([node?.changes.length, node?.more]).toEqual([100, 30]);
  });
});
