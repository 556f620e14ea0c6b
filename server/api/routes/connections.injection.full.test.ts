import { expect, test } from 'vitest';
import { corpus, expectValues } from './connections.injection.contract.ts';

test('a value stays a value, whatever it is and by whichever param it comes', async () => {
  expect(new Set(corpus).size).toBeGreaterThan(60);
  await expectValues(corpus);
});
