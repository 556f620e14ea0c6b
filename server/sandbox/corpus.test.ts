import { expect, test } from 'vitest';
import type { Attack } from './corpus/attack.ts';
import { corpus } from './corpus/index.ts';
import { sandboxContract } from './corpus.contract.ts';

test('the corpus has a hundred cases and more', () => {
  expect(Object.values(corpus).flat().length).toBeGreaterThanOrEqual(100);
});

/** The first of each kind: the other engine and the other place stand behind the same code, which has all of them. */
const sample = Object.fromEntries(
  Object.entries(corpus).map(([kind, attacks]): [string, readonly Attack[]] => [kind, attacks.slice(0, 1)]),
);

sandboxContract(['isolated-vm', 'here'], corpus);
sandboxContract(['quickjs', 'here'], sample);
sandboxContract(['isolated-vm', 'apart'], sample);
sandboxContract(['quickjs', 'apart'], sample);
