import { expect, test } from 'vitest';
import { flow } from '../code-first/flow.ts';
import { extendRegistry } from '../catalog/registry.ts';
import { builtIns, flowOf, play } from '../testing/play.ts';
import { start } from './run.ts';

test('a run that says things without end is told whole, and what is kept of it is bounded', () => {
  const lines = 150_000;
  const made = flow('talkative', (f) =>
    f.trigger.manual().map((_, call) => {
      for (let i = 0; i < lines; i++) call.log('info', 'again');
      return 'done';
    }),
  );
  const { run, events } = play(made.flow, null, { registry: extendRegistry(builtIns, made.operators) });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  expect(events.filter(({ kind }) => kind === 'log')).toHaveLength(lines);
  const kept = run.events();
  expect(kept.length).toBeLessThan(100_100);
  expect(kept.at(-1)).toEqual(events.at(-1));
  expect(kept.at(-1)?.kind).toBe('run-finished');
});

test('a step that ends the run by its failure has taken until then, where nobody followed', async () => {
  const late = { operator: 'logic.delay', params: { ms: 50 }, timeoutMs: 20 };
  const other = { operator: 'logic.delay', params: { ms: 500 } };
  const { plan, host } = play(flowOf({ t: 'trigger.manual', late, other }, ['t > late', 't > other']));
  await host.runAll();
  const run = start(plan, { id: 'later', request: {}, output: null, vars: {}, timed: true }, host);
  const began = host.now();
  await host.runAll();
  const ends = run.events().filter(({ kind }) => kind === 'node-failed' || kind === 'run-finished');
  expect(ends.map(({ kind, at }) => [kind, at - began])).toEqual([
    ['node-failed', 20],
    ['node-failed', 20],
    ['run-finished', 20],
  ]);
});
