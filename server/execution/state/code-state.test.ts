import { afterAll, expect, test } from 'vitest';
import { createCodeSandbox } from '../../integrations/sandbox/code-service.ts';
import { callOf, type TestCall } from '../../integrations/sandbox/testing/call.ts';
import { createMemoryState } from './memory-state.ts';

const state = createMemoryState(Date.now);
const sandbox = createCodeSandbox({ engine: 'isolated-vm', hosts: 1, services: { state }, warn() {} });
afterAll(() => sandbox.close());

const run = (source: string, more: TestCall = {}) => sandbox.run(callOf(source, null, more));

test('code reads, stores and removes values of its flow and those of all flows', async () => {
  const source = `const shared = { scope: 'shared' };
    await ctx.state.set('a', { list: [1] }); await ctx.state.set('a', 'all', shared);
    const both = [await ctx.state.get('a'), await ctx.state.get('a', shared), await ctx.state.get('none')];
    await ctx.state.remove('a', shared); return [...both, await ctx.state.get('a', shared)];`;
  expect(await run(source)).toEqual([{ list: [1] }, 'all', null, null]);
  expect(await state.get('flow', 'a')).toEqual({ list: [1] });
  expect(await run("return await ctx.state.get('a');", { flow: 'other' })).toBeNull();
});

test('a stored value of code expires as that of the operator does', async () => {
  await run("await ctx.state.set('short', 1, { ttlMs: 1 }); await ctx.sleep(20);");
  expect(await state.get('flow', 'short')).toBeUndefined();
});

test('a new attempt adds nothing that the one before has added', async () => {
  const source =
    "await ctx.state.add('n', 2); await ctx.state.add('n'); return await ctx.state.add('m', -1);";
  for (const attempt of [1, 2]) expect(await run(source, { context: { attempt } })).toBe(-1);
  expect(await state.get('flow', 'n')).toBe(3);
  await run(source, { context: { idempotencyKey: 'next:node' } });
  expect(await state.get('flow', 'n')).toBe(6);
});

test.each([
  ["ctx.state.get('')", 'code_failed', 'key'],
  ["ctx.state.get('x', { scope: 'other' })", 'code_failed', 'scope'],
  ["ctx.state.set('x', 1, { ttl: 5 })", 'code_failed', 'ttl'],
  ["ctx.state.add('x', 'many')", 'code_failed', 'by'],
  ["ctx.state.set('x', 'y'.repeat(1_100_000))", 'value_too_large', '1000000'],
  ["ctx.state.set('x', NaN)", 'code_failed', 'NaN'],
  ["ctx.state.add('a')", 'bad_state', 'number'],
])('%s is refused with %s', async (source, code, said) => {
  const failed = run(`return await ${source};`);
  await expect(failed).rejects.toMatchObject({ code });
  await expect(failed).rejects.toThrow(said);
});
