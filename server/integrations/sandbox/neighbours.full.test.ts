import { describe, expect, onTestFinished, test } from 'vitest';
import { callOf } from './testing/call.ts';
import { testSandbox } from './testing/sandbox.ts';

/** Fast until it is given 0; then it does what nothing interrupts. */
const scan = 'if (input !== 0) return input; const a = [1]; a.length = 2 ** 32 - 1; return a.indexOf(7);';
const loop = 'if (input !== 0) return input; for (;;);';

const memory = {
  'a buffer that grows': 'new ArrayBuffer(8, { maxByteLength: 2 ** 31 }).resize(2 ** 30); for (;;);',
  'a text of the greatest length': "const a = []; for (let i = 0; ; i++) a.push(('x' + i).repeat(2 ** 26));",
};

function opened(engine: 'isolated-vm' | 'quickjs') {
  const sandbox = testSandbox({ engine, hosts: 1 });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

describe('beside code that takes a host down', () => {
  test.each(Object.entries(memory))('by %s, all other calls come to their end', async (_, hog) => {
    const sandbox = opened('isolated-vm');
    const innocent = (n: number) => sandbox.run(callOf('return input * 2;', n, { flow: `flow ${n % 7}` }));
    await innocent(0);
    for (let round = 0; round < 3; round++) {
      const guilty = [1, 2].map((n) => sandbox.run(callOf(hog, n, { flow: 'hog', maxMs: 60_000 })));
      const ended = guilty.map((call) => call.then(String, ({ code }: { code: string }) => code));
      let over = false;
      const all = Promise.all(ended).finally(() => (over = true));
      for (let n = 0; !over || n < 50; n++) expect(await innocent(n)).toBe(2 * n);
      for (const code of await all) expect(code).toMatch(/^code_(memory|timeout|crashed)$/);
    }
  });

  test('many calls at once that were there with it come to their end', async () => {
    const sandbox = opened('isolated-vm');
    const guilty = sandbox
      .run(callOf(memory['a buffer that grows'], 1, { flow: 'hog' }))
      .catch(({ code }: { code: string }) => code);
    const numbers = Array.from({ length: 300 }, (_, n) => n);
    const innocent = numbers.map((n) =>
      sandbox.run(callOf('await null; return input;', n, { flow: `flow ${n % 20}` })),
    );
    expect(await Promise.all(innocent)).toEqual(numbers);
    expect(await guilty).toMatch(/^code_/);
  });
});

test('calls that hold their host again and again leave no call open and no host behind', async () => {
  const sandbox = opened('isolated-vm');
  const limits = { flow: 'holder', maxMs: 60_000 };
  for (let n = 1; n < 8; n++) await sandbox.run(callOf(scan, n, limits));
  const guilty = Array.from({ length: 6 }, async (_, n) => {
    await new Promise((resolve) => setTimeout(resolve, 100 * n));
    return sandbox.run(callOf(scan, 0, limits)).catch(({ code }: { code: string }) => code);
  });
  let over = false;
  const all = Promise.all(guilty).finally(() => (over = true));
  const others = Array.from({ length: 8 }, async (_, n) => {
    while (!over) expect(await sandbox.run(callOf('return input;', n, { flow: `flow ${n}` }))).toBe(n);
  });
  await Promise.all(others);
  expect(await all).toEqual(Array.from(guilty, () => 'code_timeout'));
  expect(sandbox.stats().open).toBe(0);
  // One for all, one for the flow that holds them, one in reserve.
  await expect.poll(() => sandbox.pids.length, { timeout: 5000 }).toBeLessThanOrEqual(3);
});

describe('behind code that was fast and then holds its thread', () => {
  test.each([
    ['isolated-vm', 'a scan', scan],
    ['isolated-vm', 'a loop', loop],
    ['quickjs', 'a loop', loop],
  ] as const)('%s: calls of other flows do not wait for %s', async (engine, _, source) => {
    const sandbox = opened(engine);
    const limits = { cpuMs: 600, maxMs: 60_000 };
    const other = (n: number) => sandbox.run(callOf('return input;', n, { flow: `flow ${n}` }));
    for (let n = 1; n < 8; n++) await sandbox.run(callOf(source, n, limits));
    for (let n = 0; n < 5; n++) await other(n);
    const order: unknown[] = [];
    const guilty = sandbox.run(callOf(source, 0, limits)).catch(({ code }: { code: string }) => code);
    const ended = guilty.then((code) => order.push(code));
    const others = Array.from({ length: 5 }, (_other, n) => other(n).then(() => order.push(n)));
    await Promise.all([...others, ended]);
    expect(order.slice(0, 5).toSorted()).toEqual([0, 1, 2, 3, 4]);
    expect(order[5]).toBe('code_timeout');
    expect(await other(3)).toBe(3);
    expect(sandbox.stats().open).toBe(0);
  });
});
