import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FlowTestList, FlowTestReport } from '#shared/flow-test-api.ts';
import { type Bed, signIn, startBed } from '../../testing/platform-bed.ts';

interface Answer<T> {
  readonly success: boolean;
  readonly err_code: string;
  readonly err_msg: string;
  readonly data: T;
}

async function callerOf(bed: Bed) {
  const headers = { ...(await signIn(bed)), 'content-type': 'application/json' };
  return async <T>(method: string, path: string, body?: unknown): Promise<Answer<T>> => {
    const answer = await fetch(`${bed.url}/api/v1${path}`, {
      method,
      headers,
      body: method === 'GET' ? null : JSON.stringify(body ?? {}),
    });
    return (await answer.json()) as Answer<T>;
  };
}

const priced = (factor: number) => ({
  format: 1,
  id: 'priced',
  nodes: {
    start: {
      operator: 'trigger.http',
      params: {
        path: '/priced',
        methods: ['POST'],
        auth: 'none',
        request: { type: 'object', properties: { n: { type: 'number', default: 1 } } },
      },
    },
    price: { operator: 'text.template', params: { template: `{{ input.n * ${factor} }}` } },
  },
  edges: [{ from: 'start.out', to: 'price.in' }],
});

test('only a caller who may read runs can save a run as a test', async () => {
  const bed = await startBed();
  const ask = async (scopes: readonly ('flows:write' | 'runs:read')[]) => {
    const { key } = await bed.ctx.keys.create({ name: scopes.join(), scopes: [...scopes] });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${bed.url}/api/v1/runs/none/test`, { method: 'POST', headers, body: '{}' });
    return (await answer.json()) as { err_code: string; err_msg: string };
  };
  expect(await ask(['flows:write'])).toMatchObject({
    err_code: 'forbidden',
    err_msg: expect.stringContaining('`runs:read`'),
  });
  expect(await ask(['flows:write', 'runs:read'])).toMatchObject({ err_code: 'run_not_found' });
});

test.each([
  ['the clock', 'return { at: ctx.now(), more: new Date().toISOString() };'],
  ['chance', 'return [ctx.random(), ctx.uuid(), Math.random()];'],
])('a run with code that reads %s is kept as a test that passes', async (_, source) => {
  const bed = await startBed();
  const call = await callerOf(bed);
  const flow = {
    format: 1,
    id: 'reading',
    nodes: {
      start: { operator: 'trigger.manual' },
      read: { operator: 'code.run', params: { source } },
      add: { operator: 'code.run', params: { source: 'return JSON.stringify(input).length;' } },
    },
    edges: [
      { from: 'start.out', to: 'read.in' },
      { from: 'read.out', to: 'add.in' },
    ],
  };
  expect(await call('POST', '/flows', { flow })).toMatchObject({ success: true });
  const { data: run } = await call<{ run: string; answer: { body: number } }>('POST', '/flows/reading/run', {
    input: null,
  });
  expect(await call('POST', `/runs/${run.run}/test`, { name: 'read' })).toMatchObject({
    data: { test: { outputs: { read: {} }, expect: { outputs: { add: { out: run.answer.body } } } } },
  });
  expect((await call<FlowTestReport>('POST', '/flows/reading/tests/run')).data).toMatchObject({
    results: [{ passed: true, differences: [] }],
  });
});

test('a run becomes a test, which passes, fails after a change, and is updated, renamed and removed', async () => {
  const bed = await startBed();
  const call = await callerOf(bed);
  await call('POST', '/flows', { flow: priced(2) });
  const list = async () => (await call<FlowTestList>('GET', '/flows/priced/tests')).data;
  expect(await list()).toEqual({ file: 'priced.test.json', cases: [] });
  const { data: run } = await call<{ run: string }>('POST', '/flows/priced/run', { input: { n: 3 } });
  expect(await call('POST', `/runs/${run.run}/test`, { name: 'three/third' })).toMatchObject({
    success: true,
  });
  expect(await list()).toMatchObject({ cases: [{ name: 'three/third', input: { n: 3 } }] });
  expect(await call('POST', `/runs/${run.run}/test`, { name: 'three/third' })).toMatchObject({
    err_code: 'conflict',
  });

  const check = async (body?: object) =>
    (await call<FlowTestReport>('POST', '/flows/priced/tests/run', body)).data;
  expect(await check()).toMatchObject({
    results: [{ name: 'three/third', passed: true, updated: false, differences: [] }],
    coverage: { nodes: { hit: 2, of: 2 }, edges: { hit: 1, of: 1, missed: [] } },
  });

  const { data: flow } = await call<{ revision: string }>('GET', '/flows/priced');
  await call('PUT', '/flows/priced', { revision: flow.revision, flow: priced(5) });
  expect((await check()).results).toMatchObject([
    { passed: false, differences: [{ path: 'price.out', expected: '6', actual: '15' }] },
  ]);
  expect((await check({ update: true })).results).toMatchObject([{ passed: false, updated: true }]);
  expect((await check()).results).toMatchObject([{ passed: true }]);
  expect((await check({ names: ['another'] })).results).toEqual([]);

  const at = `/flows/priced/tests/${encodeURIComponent('three/third')}`;
  expect(await call('PUT', at, { name: 'by five' })).toMatchObject({ data: { name: 'by five' } });
  expect(await call('DELETE', at)).toMatchObject({ err_code: 'test_not_found' });
  const file = join(bed.ctx.config.flows[0] as string, 'priced.test.json');
  expect(readFileSync(file, 'utf8')).toContain('"by five"');
  expect(await call('DELETE', '/flows/priced/tests/by five')).toMatchObject({ success: true });
  expect((await list()).cases).toEqual([]);
});

test('expectations are written only for who may change flows, and a flow with errors runs no test', async () => {
  const bed = await startBed();
  const call = await callerOf(bed);
  await call('POST', '/flows', { flow: { ...priced(2), edges: [{ from: 'start.out', to: 'gone.in' }] } });
  expect(await call('POST', '/flows/priced/tests/run')).toMatchObject({ err_code: 'flow_invalid' });
  const { key } = await bed.ctx.keys.create({ name: 'runs', scopes: ['runs:write'] });
  const refused = await fetch(`${bed.url}/api/v1/flows/priced/tests/run`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"update":true}',
  });
  expect(await refused.json()).toMatchObject({ err_code: 'forbidden' });
});
