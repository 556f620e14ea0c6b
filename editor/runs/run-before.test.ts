import { expect, test } from 'vitest';
import { shownFrom } from '../state/apply-event.ts';
import type { RunRow } from '../state/run-store.ts';
import { row } from '../state/testing/run-row.ts';
import { runBefore } from './run-before.ts';

const shown = (of: RunRow) => shownFrom({ ...of, error: undefined, ms: of.ms });

test('a run is compared with the last one before it that began at the same trigger, is over and was recorded', () => {
  const [newer, going] = [row('r6'), row('r4', { ms: undefined, status: 'running' })];
  const [it, other, lines, before] = [
    row('r5'),
    row('r3', { trigger: 'u' }),
    row('r2', { recorded: false }),
    row('r1'),
  ];
  const recent = [newer, it, going, other, lines, before];
  expect(runBefore({ recent, shown: shown(it) })).toBe('r1');
  expect(runBefore({ recent, shown: shown(newer) })).toBe('r5');
});

test('there is nothing to compare a run with that goes on, is the first, is not in the list, or is not there', () => {
  const going = row('r2', { ms: undefined, status: 'running' });
  const recent = [going, row('r1')];
  for (const of of [going, row('r1'), row('r0')])
    expect(runBefore({ recent, shown: shown(of) })).toBeUndefined();
  expect(runBefore({ recent, shown: undefined })).toBeUndefined();
});
