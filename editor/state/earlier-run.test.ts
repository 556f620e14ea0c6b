import { expect, test } from 'vitest';
import { earlierRun } from './earlier-run.ts';
import { shownFrom } from './apply-event.ts';
import { createRunStore, type RunRow, type RunState } from './run-store.ts';
import { row } from './testing/run-row.ts';

function state(recent: RunRow[], shown?: RunRow, missing?: string): RunState {
  const onCanvas = shown && { ...shownFrom({ ...shown, error: undefined, ms: shown.ms }), missing };
  return { ...createRunStore().getState(), recent, shown: onCanvas };
}

test('the run on the canvas is reused, and the newest one where none is shown', () => {
  const rows = [row('r3'), row('r2')];
  expect(earlierRun(state(rows))?.id).toBe('r3');
  expect(earlierRun(state(rows, rows[1]))?.id).toBe('r2');
  expect(earlierRun(state([]))).toBeUndefined();
});

test('a run that goes on, began elsewhere or kept no values is not reused', () => {
  const going = row('r4', { status: 'running', ms: undefined });
  const summary = row('r3', { recorded: false });
  const other = row('r2', { trigger: 'u' });
  const good = row('r1');
  for (const shown of [undefined, going, summary, other])
    expect(earlierRun(state([going, summary, other, good], shown), 't')?.id).toBe('r1');
  expect(earlierRun(state([good], row('r0'), 'not-recorded'), 't')?.id).toBe('r1');
});
