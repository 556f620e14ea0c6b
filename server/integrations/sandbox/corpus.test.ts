import { expect, test } from 'vitest';
import type { Attack } from './corpus/attack.ts';
import { corpus } from './corpus/index.ts';
import { sandboxContract } from './corpus.contract.ts';

test('the corpus has a hundred cases and more', () => {
  expect(Object.values(corpus).flat().length).toBeGreaterThanOrEqual(100);
});

/** The first of each kind; `corpus.full.test.ts` has all, in each engine and place. */
const sample = (most: number) =>
  Object.fromEntries(
    Object.entries(corpus).map(([kind, attacks]): [string, readonly Attack[]] => [
      kind,
      attacks.slice(0, most),
    ]),
  );

sandboxContract(['isolated-vm', 'here'], sample(4));
sandboxContract(['quickjs', 'here'], sample(1));
