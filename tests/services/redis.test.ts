import { expect, test } from 'vitest';
import { firstAnswer } from './handshake.ts';

test('Redis answers a PING', async () => {
  expect((await firstAnswer('redis', 'PING\r\n')).toString()).toBe('+PONG\r\n');
});
