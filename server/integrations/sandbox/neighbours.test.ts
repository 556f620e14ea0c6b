import { expect, onTestFinished, test } from 'vitest';
import { callOf } from './testing/call.ts';
import { testSandbox } from './testing/sandbox.ts';

// More ways to take a host down, and the other engine, are in `neighbours.full.test.ts`.

function opened() {
  const sandbox = testSandbox({ hosts: 1 });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

test('many calls at once that were there with code that takes a host down come to their end', async () => {
  const sandbox = opened();
  const source = 'new ArrayBuffer(8, { maxByteLength: 2 ** 31 }).resize(2 ** 30); for (;;);';
  const guilty = sandbox.run(callOf(source, 1, { flow: 'hog' })).catch(({ code }: { code: string }) => code);
  const numbers = Array.from({ length: 300 }, (_, n) => n);
  const innocent = numbers.map((n) =>
    sandbox.run(callOf('await null; return input;', n, { flow: `flow ${n % 20}` })),
  );
  expect(await Promise.all(innocent)).toEqual(numbers);
  expect(await guilty).toMatch(/^code_/);
});

test('calls of other flows do not wait for code that was fast and then holds its thread', async () => {
  const sandbox = opened();
  const source = 'if (input !== 0) return input; for (;;);';
  const limits = { cpuMs: 600, maxMs: 60_000 };
  const other = (n: number) => sandbox.run(callOf('return input;', n, { flow: `flow ${n}` }));
  for (let n = 1; n < 8; n++) await sandbox.run(callOf(source, n, limits));
  for (let n = 0; n < 5; n++) await other(n);
  const order: unknown[] = [];
  const guilty = sandbox.run(callOf(source, 0, limits)).catch(({ code }: { code: string }) => code);
  const ended = guilty.then((code) => order.push(code));
  const others = Array.from({ length: 5 }, (_, n) => other(n).then(() => order.push(n)));
  await Promise.all([...others, ended]);
  expect(order.slice(0, 5).toSorted()).toEqual([0, 1, 2, 3, 4]);
  expect(order[5]).toBe('code_timeout');
});
