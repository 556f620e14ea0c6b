import { expect, test } from 'vitest';
import { nowOf, viewNamed, withoutView, withView } from './views.ts';

const failed = { screen: 'runs', name: 'Failed', set: { status: 'failed' } };
const others = { screen: 'audit', name: 'Failed', set: { outcome: 'refused' } };

test('what is empty narrows nothing', () => {
  expect(nowOf({ status: 'failed', text: '', code: undefined })).toEqual({ status: 'failed' });
});

test('a view is known by what it narrows to', () => {
  expect(viewNamed([failed], { status: 'failed' })).toBe(failed);
  expect(viewNamed([failed], { status: 'failed', flow: 'orders' })).toBeUndefined();
  expect(viewNamed([failed], {})).toBeUndefined();
});

test('a view replaces the one of its name on its screen, and no other', () => {
  const again = { ...failed, set: { status: 'failed', time: 'day' } };
  expect(withView([failed, others], again)).toEqual([others, again]);
  expect(withoutView([failed, others], failed)).toEqual([others]);
});
