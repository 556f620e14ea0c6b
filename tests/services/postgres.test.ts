import { expect, test } from 'vitest';
import { addressOf } from '../runner/services.ts';
import { firstAnswer } from './handshake.ts';

/** A StartupMessage of protocol 3.0 (PostgreSQL documentation, "Message Formats"). */
function startupMessage({ username, pathname }: URL): Buffer {
  // Each text ends with a zero byte, and so does their list.
  const fields = ['user', username, 'database', pathname.slice(1), '', ''].join('\0');
  const message = Buffer.alloc(8 + Buffer.byteLength(fields));
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(196_608, 4);
  message.write(fields, 8);
  return message;
}

test('PostgreSQL lets the tests in', async () => {
  const answer = await firstAnswer('postgres', startupMessage(addressOf('postgres')));
  // R: how to authenticate. E would be an error.
  expect(answer.toString('latin1', 0, 1), answer.toString('latin1')).toBe('R');
});
