import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import { manyFlowsContract, openStreams } from './many-flows.contract.ts';
import { localHost } from './spawn.ts';
import { callOf } from './testing/call.ts';
import { testSandbox } from './testing/sandbox.ts';

// With this much memory a host has place for some ten flows.
manyFlowsContract({ engine: 'isolated-vm', flows: 40, processMb: 160 });
manyFlowsContract({ engine: 'isolated-vm', flows: 600 });
manyFlowsContract({ engine: 'quickjs', flows: 600 });

test('streams that stay open fill hosts one after the other, until calls are refused; none of them is lost', async () => {
  const sandbox = testSandbox({ start: (engine) => localHost(engine, 128) });
  onTestFinished(() => sandbox.close());
  const { readers, refused } = await openStreams(sandbox, 200);
  expect(refused).toMatchObject({ code: 'code_unavailable' });
  expect(sandbox.pids.length).toBeGreaterThanOrEqual(3);
  for (const [n, reader] of readers.entries()) {
    for (let k = 1; k < 5; k++) expect(await reader.next()).toEqual({ done: false, value: n + k });
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  }
  const call = callOf('return 1;', 1, { flow: 'afterwards', maxMs: 60_000 });
  await eventually(async () => expect(await sandbox.run(call)).toBe(1));
  expect(sandbox.stats()).toMatchObject({ open: 0, lostHosts: 0 });
});
