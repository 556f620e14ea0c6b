import { expect, test } from 'vitest';
import { refusedStart } from './refused-start.ts';

const failed = (message: string, code: string): Error => Object.assign(new Error(message), { code });

test('a wrong password is reported as one with its setting, no matter which program refuses it', () => {
  for (const error of [
    failed('password authentication failed for user "weft"', '28P01'),
    // PgBouncer reports it under the code of a broken connection.
    failed('SASL authentication failed', '08P01'),
  ])
    expect((refusedStart(error, 'WEFT_DATABASE_DIRECT_URL') as Error).message).toMatch(
      /^database_denied: .*authentication failed.*Correct WEFT_DATABASE_DIRECT_URL,/,
    );
  const away = refusedStart(failed('getaddrinfo ENOTFOUND ss', 'ENOTFOUND')) as Error;
  expect(away.message).toMatch(/^database_unreachable: .*correct WEFT_DATABASE_URL;.*percent-encoded/);
});
