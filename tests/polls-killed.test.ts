import { test } from 'vitest';
import { killBetweenPolls } from './support/poll-kills.ts';

// More moments are in `full/polls-killed.test.ts`.
test.each(['github.issue-created', 'trigger.poll'] as const)(
  'a server that is killed while %s asks starts one run for each thing',
  (operator) => killBetweenPolls(operator, { kills: 2, things: 3 }),
);
