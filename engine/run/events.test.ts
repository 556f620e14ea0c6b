import { expect, test } from 'vitest';
import { flow } from '../code-first/flow.ts';
import { extendRegistry } from '../catalog/registry.ts';
import { builtIns, play } from '../testing/play.ts';

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
