import { expect, test } from 'vitest';
import { firstAnswer } from './handshake.ts';

test('RabbitMQ starts an AMQP 0-9-1 connection', async () => {
  const answer = await firstAnswer('rabbitmq', Buffer.from([...Buffer.from('AMQP'), 0, 0, 9, 1]));
  // A method frame on channel 0. A refusal would begin with the protocol's name.
  expect([...answer.subarray(0, 3)], answer.toString('latin1')).toEqual([1, 0, 0]);
});
