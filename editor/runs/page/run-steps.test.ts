import { expect, test } from 'vitest';
import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import { runSteps } from './run-steps.ts';

const summary: RunSummary = {
  run: 'r1',
  flow: 'f',
  version: 'v',
  trigger: 'start',
  source: 'http',
  startedAt: 0,
  status: 'ok',
  recorded: true,
};

/** Events with their numbers. */
const eventsOf = (...drafts: readonly object[]): RunEvent[] =>
  drafts.map((draft, i) => ({ run: 'r1', seq: i + 1, at: i, ...draft }) as RunEvent);

const loop = (round: string, node: string) => [
  { kind: 'node-started', node, attempt: 1, round },
  { kind: 'node-output', node, port: 'out', value: round, round },
  { kind: 'node-finished', node, round },
];

const events = eventsOf(
  { kind: 'run-started', flow: 'f', version: 'v', trigger: 'start', input: { a: 1 } },
  { kind: 'node-started', node: 'start', attempt: 1 },
  { kind: 'node-finished', node: 'start' },
  { kind: 'node-started', node: 'loop', attempt: 1 },
  ...loop('loop#0', 'ask'),
  ...loop('loop#3/group#0', 'deep'),
  ...loop('loop#3', 'group'),
  { kind: 'node-failed', node: 'ask', round: 'loop#3', error: { code: 'x', message: 'no' }, handled: 'no' },
  { kind: 'node-rounds', node: 'loop', count: 40, failed: 1 },
  { kind: 'log', level: 'info', text: 'of the run' },
  { kind: 'log', level: 'info', text: 'of a node', node: 'start' },
  { kind: 'run-answered', status: 200, body: 'done' },
  { kind: 'run-finished', status: 'ok', ms: 9, nodes: { ok: 2, failed: 0, skipped: 0 }, cost: 0.5 },
);

test('steps come in the order in which they began, each with what it gave and said', () => {
  const { shown, steps, lines } = runSteps(summary, events, [], (node) => node);
  expect(shown).toMatchObject({ input: { a: 1 }, ms: 9, cost: 0.5, answered: { status: 200, body: 'done' } });
  expect(steps.map(({ node, run }) => [node, run.status])).toEqual([
    ['start', 'ok'],
    ['loop', 'abandoned'],
  ]);
  expect(steps[0]?.lines.map(({ text }) => text)).toContain('of a node');
  expect(lines.map(({ text }) => text)).toContain('of the run');
});

test('a container has its rounds, those within them too, as far as they are kept', () => {
  const { steps } = runSteps(summary, events, [], (node) => node);
  const rounds = steps[1]?.rounds;
  expect([rounds?.count, rounds?.failed, rounds?.kept.map(({ at }) => at)]).toEqual([40, 1, [0, 3]]);
  const [first, fourth] = rounds?.kept ?? [];
  expect(first?.steps).toMatchObject([{ node: 'ask', run: { outputs: { out: 'loop#0' }, status: 'ok' } }]);
  const [group, ask] = fourth?.steps ?? [];
  expect(ask).toMatchObject({ node: 'ask', run: { status: 'failed', error: { code: 'x' } } });
  expect(group?.rounds?.kept[0]?.steps).toMatchObject([{ node: 'deep', run: { status: 'ok' } }]);
});
