import { test } from 'vitest';
import { killBetweenPolls } from '../support/poll-kills.ts';

test.each(['github.issue-created', 'trigger.poll'] as const)(
  'each thing that %s finds starts one run when the server is killed at 30 moments',
  { timeout: 1_200_000 },
  (operator) => killBetweenPolls(operator, { kills: 30, things: 4 }),
);
