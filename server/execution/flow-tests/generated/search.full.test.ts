import { expect, test } from 'vitest';
import type { GeneratedReport } from '#shared/flow-test-api.ts';
import { type Bed, signIn, startBed } from '../../../testing/platform-bed.ts';

async function caller(bed: Bed) {
  const headers = { ...(await signIn(bed)), 'content-type': 'application/json' };
  return async <T>(method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${bed.url}/api/v1${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    return (await answer.json()) as { success: boolean; err_code: string; err_msg: string; data: T };
  };
}

const request = {
  type: 'object',
  required: ['amount'],
  properties: {
    amount: { type: 'integer', minimum: -1000, maximum: 100_000 },
    names: { type: 'array', items: { type: 'string' }, maxItems: 5 },
    note: { type: 'string' },
  },
};

const flowOf = (source: string, more: Record<string, unknown> = {}) => ({
  format: 1,
  id: 'billing',
  nodes: {
    start: {
      operator: 'trigger.http',
      params: { path: '/billing', methods: ['POST'], auth: 'none', request },
    },
    bill: { operator: 'code.run', params: { source }, ...more },
  },
  edges: [{ from: 'start.out', to: 'bill.in' }],
});

async function search(source: string, body: object = {}) {
  const bed = await startBed();
  const call = await caller(bed);
  expect(await call('POST', '/flows', { flow: flowOf(source) })).toMatchObject({ success: true });
  const run = (more: object = body) => call<GeneratedReport>('POST', '/flows/billing/tests/generate', more);
  return { call, run, report: (await run()).data };
}

test('finds inputs that a flow fails with, shrinks them, and stores them as a test', {
  timeout: 60_000,
}, async () => {
  const { call, run, report } = await search(
    'if (input.amount > 41 && (input.names ?? []).some((name) => name.length > 2)) throw new Error("too much"); return { total: input.amount };',
    { count: 300, seed: 3 },
  );
  expect(report.failures).toHaveLength(1);
  const [failure] = report.failures;
  // No smaller input was found by hand.
  expect(failure?.sent).toEqual({ amount: 42, names: ['aaa'] });
  expect(failure?.error?.message).toContain('too much');
  expect(JSON.stringify(failure?.first).length).toBeGreaterThan(JSON.stringify(failure?.sent).length);
  expect(report.coverage.nodes.missed).toEqual([]);

  // The same seed finds the same input.
  expect((await run()).data.failures).toEqual(report.failures);

  expect(await call('POST', '/flows/billing/tests', { test: failure?.test })).toMatchObject({
    success: true,
  });
  const { data } = await call<{ results: { passed: boolean; name: string }[] }>(
    'POST',
    '/flows/billing/tests/run',
    {},
  );
  expect(data.results).toMatchObject([{ passed: false, name: failure?.test.name }]);
  expect(await call('POST', '/flows/billing/tests', { test: failure?.test })).toMatchObject({
    err_code: 'conflict',
  });
});

test('an answer is checked against an expression and a schema', { timeout: 60_000 }, async () => {
  const { run, report } = await search('return { total: input.amount + (input.note === "" ? -1 : 0) };', {
    holds: 'answer.total == input.amount',
  });
  expect(report.failures.map(({ sent, differences }) => [sent, differences[0]?.path])).toEqual([
    [{ amount: 0, note: '' }, 'holds'],
  ]);
  const { data } = await run({
    matches: { type: 'object', properties: { total: { type: 'integer', minimum: -500 } } },
  });
  expect(data.failures.map(({ sent }) => sent)).toEqual([{ amount: -501 }]);
});

test('wrong inputs are run only if the trigger accepts them', { timeout: 60_000 }, async () => {
  const { report, run } = await search('return input.amount;', { wrong: true, count: 60 });
  expect(report.failures).toEqual([]);
  expect(report.refused).toBeGreaterThan(10);
  expect(report.made).toBe(60);
  expect(report.runs).toBe(60 - report.refused);
  expect((await run({ count: 10 })).data.refused).toBe(0);
});

test('codes that are allowed are no failure; other requests are refused with a reason', {
  timeout: 60_000,
}, async () => {
  const { run, report } = await search('throw new Error("no");', { count: 3 });
  const code = report.failures[0]?.error?.code ?? '';
  expect((await run({ count: 3, allow: [code] })).data.failures).toEqual([]);
  expect(await run({ holds: 'answer ==' })).toMatchObject({
    err_code: 'invalid_request',
    err_msg: expect.stringContaining('holds'),
  });
  expect(await run({ matches: { type: 'objekt' } })).toMatchObject({ err_code: 'invalid_request' });
  expect(await run({ like: 'missing' })).toMatchObject({ err_code: 'test_not_found' });
  expect(await run({ count: 0 })).toMatchObject({ err_code: 'invalid_request' });
});

test('nothing outside is reached: answers come from a stored test', { timeout: 60_000 }, async () => {
  const bed = await startBed();
  const call = await caller(bed);
  const flow = flowOf('return { total: input.rate * 2 };');
  const fetch = { operator: 'http.request', params: { url: 'http://127.0.0.1:9/rates' } };
  const outside = {
    ...flow,
    nodes: { ...flow.nodes, fetch },
    edges: [
      { from: 'start.out', to: 'fetch.in' },
      { from: 'fetch.body', to: 'bill.in' },
    ],
  };
  expect(await call('POST', '/flows', { flow: outside })).toMatchObject({ success: true });
  const run = () =>
    call<GeneratedReport>('POST', '/flows/billing/tests/generate', { count: 5, holds: 'answer.total == 6' });
  expect(await run()).toMatchObject({
    err_code: 'conflict',
    err_msg: expect.stringContaining('fetch would reach outside'),
  });
  const kept = { name: 'three', input: { amount: 1 }, outputs: { fetch: { body: { rate: 3 } } }, expect: {} };
  expect(await call('POST', '/flows/billing/tests', { test: kept })).toMatchObject({ success: true });
  expect(await run()).toMatchObject({ data: { failures: [], runs: 5 } });
});

test('a flow without a request model is refused with a reason', async () => {
  const bed = await startBed();
  const call = await caller(bed);
  const flow = { format: 1, id: 'plain', nodes: { start: { operator: 'trigger.manual' } }, edges: [] };
  await call('POST', '/flows', { flow });
  expect(await call('POST', '/flows/plain/tests/generate', {})).toMatchObject({
    err_code: 'conflict',
    err_msg: expect.stringContaining('request model'),
  });
});
