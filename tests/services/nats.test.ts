import { expect, test } from 'vitest';
import { firstAnswer } from './handshake.ts';

test('NATS has JetStream', async () => {
  const greeting = (await firstAnswer('nats')).toString();
  expect(greeting).toMatch(/^INFO /);
  expect(JSON.parse(greeting.slice('INFO '.length))).toMatchObject({ jetstream: true });
});
