import { test } from 'vitest';
import { killBetweenMails } from '../support/mail-kills.ts';

test('each mail starts one run when the server is killed at 50 moments', { timeout: 1_800_000 }, () =>
  killBetweenMails({ kills: 50, mails: 4 }),
);
