import { expectChaosToHold } from './chaos-suite.ts';
import { test } from 'vitest';

/** Four processes and three nodes of Restate: kills of both, a freeze, a restart of the database. */
test(
  'what was promised about durable runs on Restate holds while everything happens that may',
  { timeout: 1_200_000 },
  () => expectChaosToHold('restate'),
);
