import { expect, test } from 'vitest';
import { createRunStore, type HandRun, type RunState, type ShownRun } from '../state/run-store.ts';
import { shownFrom } from '../state/apply-event.ts';
import { givenResult, handRunOf, recordedResult } from './result-of.ts';

const run = (more: Partial<HandRun> = {}): HandRun => ({
  run: 'r2',
  state: 'ended',
  answer: undefined,
  items: undefined,
  truncated: false,
  refusal: undefined,
  again: async () => {},
  ...more,
});

const shown = (id: string): ShownRun =>
  shownFrom({ run: id, version: 'v', trigger: 't', status: 'ok', startedAt: 0, ms: 1 });

const state = (more: Partial<RunState>): RunState => ({ ...createRunStore().getState(), ...more });

test.each([
  ['the run on the canvas', { byHand: run(), shown: shown('r2'), follow: false }, true],
  ['one whose first event has not come yet', { byHand: run(), shown: shown('r1'), follow: true }, true],
  ['a newer one from outside', { byHand: run(), shown: shown('r3'), follow: true }, false],
  ['an older one that somebody has opened', { byHand: run(), shown: shown('r1'), follow: false }, false],
  [
    'one that was refused',
    { byHand: run({ run: undefined, state: 'refused' as const }), shown: shown('r1') },
    true,
  ],
  ['no run at all', { byHand: run() }, true],
])('the result of a run by hand is shown: %s', (_, more, isShown) => {
  expect(handRunOf(state(more)) !== undefined).toBe(isShown);
});

test('what the caller gets: a value, the items of a stream, nothing, an error', () => {
  const head = { kind: 'value', status: 201, headers: { a: 'b' } } as const;
  expect(givenResult(run({ answer: { ...head, body: 0 } }))).toMatchObject({
    status: 201,
    headers: { a: 'b' },
    value: 0,
    isStream: false,
    isEmpty: false,
  });
  expect(givenResult(run({ answer: head, items: [], truncated: true }))).toMatchObject({
    value: [],
    isStream: true,
    truncated: true,
    isEmpty: false,
  });
  expect(givenResult(run({ answer: { kind: 'empty' } }))).toMatchObject({ status: 204, isEmpty: true });
  expect(givenResult(run({ answer: { kind: 'error', error: { code: 'x', message: 'x' } } }))).toBeUndefined();
  expect(givenResult(run())).toBeUndefined();
});

test('what a record has of an answer: its body, that there was none, or nothing', () => {
  expect(recordedResult({ answered: { status: 200, body: null } })).toMatchObject({
    value: null,
    isEmpty: false,
  });
  expect(recordedResult({ answered: { status: 204 } })).toMatchObject({ isEmpty: true });
  expect(recordedResult({ answered: { status: 200 } }), 'a stream').toBeUndefined();
  expect(recordedResult({ answered: undefined })).toBeUndefined();
});
