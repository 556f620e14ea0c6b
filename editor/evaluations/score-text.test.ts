import { expect, test } from 'vitest';
import type { CaseResult } from '#shared/evaluation.ts';
import { changeText, freeName, isFailing, scoreText } from './score-text.ts';

test('scores and their changes are short', () => {
  expect([scoreText(1), scoreText(0.666), scoreText(null), scoreText(undefined)]).toEqual([
    '1.00',
    '0.67',
    '–',
    '–',
  ]);
  expect([changeText(0.9, 0.8), changeText(0.2, 0.25), changeText(0.5, 0.5), changeText(null, 1)]).toEqual([
    '+0.10',
    '−0.05',
    '',
    '',
  ]);
});

test('a case fails below the threshold, with an error, and with a scorer that failed', () => {
  const one = (scores: CaseResult['scores'], more: Partial<CaseResult> = {}) =>
    ({ scores, ...more }) as CaseResult;
  expect(isFailing(one({ a: { score: 0.9 } }), 0.8)).toBe(false);
  expect(isFailing(one({ a: { score: 0.9 } }), null)).toBe(true);
  expect(isFailing(one({ a: { score: null } }), null)).toBe(false);
  expect(isFailing(one({ a: { score: null, error: { code: 'x', message: '' } } }), 0)).toBe(true);
  expect(isFailing(one({}, { error: { code: 'x', message: '' } }), 0)).toBe(true);
});

test('a name that is taken gets a number', () => {
  const cases = [
    { name: 'tea', input: '', expect: {} },
    { name: 'tea 2', input: '', expect: {} },
  ];
  expect([freeName({ cases }, 'tea'), freeName({ cases }, 'milk'), freeName({ cases }, ' ')]).toEqual([
    'tea 3',
    'milk',
    'case',
  ]);
});
