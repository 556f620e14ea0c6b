import { test } from 'vitest';
import { killBetweenPolls } from '../support/poll-kills.ts';

/** With both operators as many as CI has of each kind of kill; `TEST_KILLS` names more. */
const KILLS = Number(process.env['TEST_KILLS'] ?? 10);

test.each(['github.issue-created', 'trigger.poll'] as const)(
  `each thing that %s finds starts one run when the server is killed at ${KILLS} moments`,
  { timeout: 1_200_000 },
  (operator) => killBetweenPolls(operator, { kills: KILLS, things: 4 }),
);
