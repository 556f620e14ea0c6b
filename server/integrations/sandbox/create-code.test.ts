import { expect, onTestFinished, test } from 'vitest';
import { createCode } from './create-code.ts';
import { callOf } from './testing/call.ts';

function sandbox() {
  const made = createCode({ code: 'on', codeHost: undefined }, { services: () => ({}), warn() {} });
  if (made === undefined) throw new Error('code is off');
  onTestFinished(() => made.close());
  return made;
}

test('the first call of a function loads the sandbox; before it nothing is counted and nothing runs', async () => {
  const code = sandbox();
  expect(code.pids).toEqual([]);
  expect(code.stats()).toMatchObject({ calls: 0, hosts: 0 });
  expect(await code.run(callOf('return input + 1;', 1))).toBe(2);
  expect(await code.run(callOf('return input + 2;', 1))).toBe(3);
  // One that computes, and perhaps the spare one beside it.
  expect(code.pids).not.toEqual([]);
  expect(code.stats()).toMatchObject({ calls: 2, hosts: expect.any(Number) });
});

test('the first call of a generator gives its items, and its failures', async () => {
  const got: unknown[] = [];
  for await (const item of sandbox().stream(callOf('yield 1; yield 2;', null))) got.push(item);
  expect(got).toEqual([1, 2]);
  const broken = sandbox().stream(callOf('yield (;', null))[Symbol.asyncIterator]();
  await expect(broken.next()).rejects.toMatchObject({ code: 'code_invalid' });
});

test('a generator that is being loaded ends while its first item is awaited', async () => {
  const reading = sandbox()
    .stream(callOf('await new Promise(() => {}); yield 1;', null))
    [Symbol.asyncIterator]();
  const first = reading.next();
  expect(await reading.return?.()).toMatchObject({ done: true });
  expect(await first).toMatchObject({ done: true });
});

test('a sandbox that was closed before its first call starts no process', async () => {
  const code = sandbox();
  code.close();
  await expect(code.run(callOf('return 1;', null))).rejects.toMatchObject({ code: 'code_unavailable' });
  expect(code.pids).toEqual([]);
});
