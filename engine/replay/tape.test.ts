import { expect, test } from 'vitest';
import { FakeHost } from '../testing/fake-host.ts';
import { Tape } from './tape.ts';

test('thousands of deliveries come in order, each in a turn of its own, also those that come meanwhile', async () => {
  const host = new FakeHost();
  const tape = new Tape(host, 1_000_000);
  const order: number[] = [];
  let inTurn = 0;
  const deliver = (n: number): void =>
    tape.deliver(() => {
      expect(++inTurn).toBe(1);
      order.push(n);
      queueMicrotask(() => inTurn--);
      if (n < 1000) deliver(n + 10_000);
    });
  for (let n = 0; n < 3000; n++) deliver(n);
  await host.flush();
  const late = Array.from({ length: 1000 }, (_, i) => i + 10_000);
  expect(order).toEqual([...Array.from({ length: 3000 }, (_, i) => i), ...late]);
});
