import { expect, test } from 'vitest';
import { earlierRun, runBefore } from './earlier-run.ts';
import { shownFrom } from './apply-event.ts';
import { createRunStore, type RunRow, type RunState } from './run-store.ts';
import { row } from './testing/run-row.ts';

const onCanvas = (of: RunRow) => shownFrom({ ...of, error: undefined, ms: of.ms });

function state(recent: RunRow[], shown?: RunRow, missing?: string): RunState {
  return { ...createRunStore().getState(), recent, shown: shown && { ...onCanvas(shown), missing } };
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

test('a run is compared with the last one before it that began at the same trigger, is over and was recorded', () => {
  const [newer, going] = [row('r6'), row('r4', { ms: undefined, status: 'running' })];
  const [it, other, lines, before] = [
    row('r5'),
    row('r3', { trigger: 'u' }),
    row('r2', { recorded: false }),
    row('r1'),
  ];
  const recent = [newer, it, going, other, lines, before];
  expect(runBefore({ recent, shown: onCanvas(it) })).toBe('r1');
  expect(runBefore({ recent, shown: onCanvas(newer) })).toBe('r5');
});

test('there is nothing to compare a run with that goes on, is the first, is not in the list, or is not there', () => {
  const going = row('r2', { ms: undefined, status: 'running' });
  const recent = [going, row('r1')];
  for (const of of [going, row('r1'), row('r0')])
    expect(runBefore({ recent, shown: onCanvas(of) })).toBeUndefined();
  expect(runBefore({ recent, shown: undefined })).toBeUndefined();
});
