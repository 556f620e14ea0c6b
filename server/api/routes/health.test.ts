import { rename, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createHost } from '../../base/adapters/node-host.ts';
import { startBed } from '../../testing/platform-bed.ts';

test('a server that runs is alive and ready', async () => {
  const { url } = await startBed();
  expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' });
  const ready = await fetch(`${url}/readyz`);
  expect(ready.status).toBe(200);
  expect(await ready.json()).toEqual({
    status: 'ready',
    checks: { flows: 'ok', storage: 'ok', durable: 'ok', server: 'ok' },
  });
});

test('a server that stops is alive, but not ready', async () => {
  const { url, front } = await startBed();
  front.lifecycle.draining = true;
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const answer = await fetch(`${url}/readyz`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ checks: { server: 'draining' } });
});

test('a data folder that cannot be written makes it not ready, until it can again', async () => {
  let now = 0;
  const { url, ctx } = await startBed({}, { host: { ...createHost(), now: () => now } });
  const { data } = ctx.config;
  await rename(data, `${data}-gone`);
  await writeFile(data, 'a file where a folder should be');
  const answer = await fetch(`${url}/readyz`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ checks: { storage: 'not writable' } });
  await rename(data, `${data}-file`);
  await rename(`${data}-gone`, data);
  now = 5000;
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});

test('metrics describe the process and the runs', async () => {
  const counts = { inFlight: 3, started: 9, ok: 4, failed: 2, cancelled: 0, refused: 7, dropped: 1 };
  const bed = await startBed();
  const stats = { ...bed.ctx.runs.stats(), ...counts };
  bed.ctx.runs.stats = () => stats;
  const answer = await fetch(`${bed.url}/metrics`);
  const text = await answer.text();
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(text).toContain('process_resident_memory_bytes');
  for (const line of [
    'weft_runs_in_flight 3',
    'weft_runs_finished_total{status="ok"} 4',
    'weft_runs_finished_total{status="failed"} 2',
    'weft_runs_refused_total 7',
    'weft_runs_dropped_total 1',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
});

test('metrics describe the code sandbox', async () => {
  const errors = new Map([['code_timeout', 2]]);
  const codeStats = () => ({ calls: 8, errors, open: 3, hosts: 1, lostHosts: 4 });
  const bed = await startBed();
  Object.assign(bed.ctx, { codeStats });
  const text = await (await fetch(`${bed.url}/metrics`)).text();
  for (const line of [
    'weft_code_calls_total 8',
    'weft_code_calls_open 3',
    'weft_code_hosts 1',
    'weft_code_hosts_lost_total 4',
    'weft_code_errors_total{code="code_timeout"} 2',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
});

test.each(['forwarded', 'via', 'x-real-ip', 'x-forwarded-for'])(
  'metrics are closed to what a proxy forwards: %s',
  async (name) => {
    const { url } = await startBed();
    const headers = { [name]: '203.0.113.7' };
    const answer = await fetch(`${url}/metrics`, { headers });
    expect([answer.status, await answer.json()]).toMatchObject([403, { err_code: 'forbidden' }]);
    const locked = await startBed({ adminPassword: 'long enough', apiKeys: ['a-key-of-sixteen'] });
    expect((await fetch(`${locked.url}/metrics`, { headers })).status).toBe(401);
    const keyed = { ...headers, authorization: 'Bearer a-key-of-sixteen' };
    expect((await fetch(`${locked.url}/metrics`, { headers: keyed })).status).toBe(200);
  },
);
test('metrics count calls to the outside, by origin up to a hundred of them', async () => {
  const origins = Array.from({ length: 103 }, (_, i) => `https://h${i}.example`);
  const outboundCounts = () =>
    origins.map((origin, i) => ({ origin, calls: i === 0 ? 512 : 1, streams: 2, queued: i === 0 ? 7 : 0 }));
  const bed = await startBed();
  Object.assign(bed.ctx, { outboundCounts });
  const text = await (await fetch(`${bed.url}/metrics`)).text();
  for (const line of [
    'weft_outbound_open{origin="https://h0.example",kind="calls"} 512',
    'weft_outbound_open{origin="https://h0.example",kind="streams"} 2',
    'weft_outbound_queued{origin="https://h0.example"} 7',
    'weft_outbound_open{origin="other",kind="calls"} 3',
    'weft_outbound_open{origin="other",kind="streams"} 6',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
  expect(text.match(/weft_outbound_queued\{/g)).toHaveLength(101);
});

test('metrics are for keys where others than this machine may ask', async () => {
  const bed = await startBed({ publicUrl: 'https://flows.example', apiKeys: ['a-key-of-sixteen'] });
  expect((await fetch(`${bed.url}/metrics`)).status).toBe(401);
  const answer = await fetch(`${bed.url}/metrics`, { headers: { authorization: 'Bearer a-key-of-sixteen' } });
  expect(answer.status).toBe(200);
});
