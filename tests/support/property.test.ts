import { expect, onTestFinished, test, vi } from 'vitest';
import { fc, propertyRuns } from './property.ts';

/** For the rest of a test. */
function useEnv(env: Readonly<Record<string, string | undefined>>): void {
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of ['PROPERTY_SEED', 'PROPERTY_FACTOR']) vi.stubEnv(name, env[name]);
}

/** The cases of a property under these variables. */
function casesOf(env: Readonly<Record<string, string | undefined>>, numRuns?: number): number[] {
  useEnv(env);
  const cases: number[] = [];
  const property = fc.property(fc.nat(), (n) => void cases.push(n));
  fc.assert(property, numRuns === undefined ? {} : { numRuns });
  return cases;
}

test('the cases are the same each time, and others under another seed', () => {
  expect(casesOf({})).toEqual(casesOf({ PROPERTY_SEED: '1' }));
  expect(casesOf({ PROPERTY_SEED: '2' })).toEqual(casesOf({ PROPERTY_SEED: '2' }));
  expect(casesOf({ PROPERTY_SEED: '2' })).not.toEqual(casesOf({}));
});

test('half of the cases are the first ones', () => {
  expect(casesOf({ PROPERTY_FACTOR: '0.5', PROPERTY_SEED: '1' })).toEqual(casesOf({}).slice(0, 50));
});

test('the factor multiplies the cases, and searches others each time', () => {
  expect([casesOf({}), casesOf({}, 7)].map(({ length }) => length)).toEqual([100, 7]);
  const more = { PROPERTY_FACTOR: '3' };
  expect([casesOf(more), casesOf(more, 7)].map(({ length }) => length)).toEqual([300, 21]);
  expect(casesOf(more)).not.toEqual(casesOf(more));
  expect(casesOf({ ...more, PROPERTY_SEED: '2' }, 50).slice(0, 50)).toEqual(
    casesOf({ PROPERTY_SEED: '2' }, 50),
  );
  useEnv({ PROPERTY_FACTOR: '3' });
  expect([propertyRuns(7), fc.sample(fc.nat(), 7).length]).toEqual([21, 21]);
});

test('an example is tried first, and no property has a seed of its own', () => {
  useEnv({});
  const cases: number[] = [];
  const property = fc.property(fc.nat(), (n) => void cases.push(n));
  fc.assert(property, { numRuns: 3, examples: [[42]] });
  // @ts-expect-error: a seed in place of an example.
  void fc.assert(property, { numRuns: 3, seed: 7 });
  expect([cases[0], cases.length]).toEqual([42, 6]);
  expect(cases.slice(3)).toEqual(casesOf({}, 3));
});
