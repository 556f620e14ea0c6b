import { expectChaosToHold } from './chaos-suite.ts';
import { test } from 'vitest';

/** Four processes on one PostgreSQL: kills, a freeze, a restart of the database, cut and half-open connections, wrong clocks. */
test(
  'what was promised about durable runs holds while everything happens that may',
  { timeout: 1_200_000 },
  () => expectChaosToHold('openworkflow'),
);
