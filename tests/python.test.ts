import { beforeAll, expect, test } from 'vitest';
import type { Operator } from '#engine';
import { loadPython, PythonRun } from './support/python.ts';

let python: Operator;

beforeAll(async () => {
  python = await loadPython();
});

test('code gets its input, and what it returns is the result', async () => {
  const call = new PythonRun(python, 'print("n", input["n"])\nreturn {"twice": input["n"] * 2}', {
    input: { n: 21 },
  });
  expect(await call.end()).toEqual({ twice: 42 });
  expect(call.printed).toEqual(['info n 21']);
});

test('what it raises is told with its line', async () => {
  await expect(new PythonRun(python, 'x = 1\nraise ValueError("no")').end()).rejects.toMatchObject({
    code: 'code_failed',
    message: 'ValueError: no (line 2)',
  });
});

test('a loop of C is stopped, and the next call is served', async () => {
  const stuck = new PythonRun(python, '10 ** 10 ** 9', { maxMs: 200 });
  await expect(stuck.end()).rejects.toMatchObject({ code: 'code_timeout' });
  expect(await new PythonRun(python, 'return 1').end()).toBe(1);
});
