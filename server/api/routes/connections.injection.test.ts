import { test } from 'vitest';
import { corpus, expectValues } from './connections.injection.contract.ts';

// All of the texts are in `connections.injection.full.test.ts`.
test('a value stays a value by whichever param it comes', () =>
  expectValues(corpus.filter((_, at) => at % 8 === 0)));
