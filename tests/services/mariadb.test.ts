import { expect, test } from 'vitest';
import { firstAnswer } from './handshake.ts';

test('MariaDB greets with protocol version 10', async () => {
  const answer = await firstAnswer('mariadb');
  expect(answer[4], answer.toString('latin1')).toBe(10);
});
