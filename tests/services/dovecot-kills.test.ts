import { test } from 'vitest';
import { killBetweenMails } from '../support/mail-kills.ts';

/** As many as CI has of each kind of kill; `TEST_KILLS` names more. */
const KILLS = Number(process.env['TEST_KILLS'] ?? 20);

test(`each mail starts one run when the server is killed at ${KILLS} moments`, { timeout: 1_800_000 }, () =>
  killBetweenMails({ kills: KILLS, mails: 4 }),
);
