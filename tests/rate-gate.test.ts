import { expect, onTestFinished, test } from 'vitest';
import type { Run } from '#engine';
import { FakeHost } from '../engine/testing/fake-host.ts';
import { flowOf, play } from '../engine/testing/play.ts';
import { createRateService } from '../server/base/rates/rate-service.ts';
import { call, signIn } from './support/client.ts';
import { eventually } from './support/eventually.ts';
import { httpTrigger, write } from './support/flows.ts';
import { discard, startServer, tempFolder } from './support/server.ts';

/** The rate gate in runs: on a clock that the test moves, and on a real server. */

function world() {
  const host = new FakeHost();
  const services = { rates: createRateService(() => host.time) };
  Object.assign(host, { services });
  const gate = { limit: 2, per: 'second', burst: 1 };
  const begin = (params: object = {}, more: object = {}, id = `run-${host.id()}`): Run => {
    const node = { operator: 'logic.rate-gate', params: { ...gate, ...params }, ...more };
    return play(flowOf({ t: 'trigger.manual', g: node }, ['t > g']), 'x', { host, id }).run;
  };
  const ended = (runs: readonly Run[]): (string | undefined)[] => runs.map((run) => run.outcome?.status);
  return { host, begin, ended };
}

test('runs pass one after the other, as fast as the limit allows', async () => {
  const { host, begin, ended } = world();
  const runs = [begin(), begin(), begin()];
  await host.flush();
  expect(ended(runs)).toEqual(['ok', undefined, undefined]);
  await host.advance(499);
  expect(ended(runs)).toEqual(['ok', undefined, undefined]);
  await host.advance(1);
  expect(ended(runs)).toEqual(['ok', 'ok', undefined]);
  await host.advance(500);
  expect(ended(runs)).toEqual(['ok', 'ok', 'ok']);
  expect(runs[2]?.events()).toContainEqual(expect.objectContaining({ kind: 'node-finished', node: 'g' }));
});

test('the turn of a run that is cancelled goes to the next that comes', async () => {
  const { host, begin, ended } = world();
  const runs = [begin(), begin(), begin()];
  await host.flush();
  runs[1]?.cancel('stop');
  await host.flush();
  const late = begin();
  await host.advance(500);
  expect(ended([...runs, late])).toEqual(['ok', 'cancelled', undefined, 'ok']);
  expect(host.pending).toBe(1);
});

test('a run that would wait too long fails at once, and its error leads where the flow says', async () => {
  const { host, begin } = world();
  begin();
  const refused = begin({ maxWait: '400ms' });
  const handled = begin({ mode: 'refuse' }, { onError: 'continue', fallback: { out: 'later' } });
  const retried = begin({ mode: 'refuse' }, { retry: { attempts: 2, backoffMs: 0 } });
  await host.flush();
  expect(refused.outcome?.error).toMatchObject({
    code: 'rate_limited',
    message: 'Only 2 may pass in a second, and the next turn comes too late; try again in 1 s.',
    data: { retryAfter: 1 },
  });
  expect(handled.answer).toMatchObject({ kind: 'value', body: 'later' });
  expect(retried.outcome).toBeUndefined();
  await host.advance(1000);
  expect(retried.outcome?.status).toBe('ok');
});

test('each key has turns of its own, and a shared gate is one for all flows', async () => {
  const { host, begin, ended } = world();
  const params = { mode: 'refuse', scope: 'shared' };
  const runs = ['a', 'b', 'a'].map((key) => begin({ ...params, key }));
  await host.flush();
  expect(ended(runs)).toEqual(['ok', 'ok', 'failed']);
});

test('a stream passes item by item', async () => {
  const host = new FakeHost();
  Object.assign(host, { services: { rates: createRateService(() => host.time) } });
  const flow = flowOf(
    {
      t: 'trigger.manual',
      s: { operator: 'core.streamify', params: {} },
      g: { operator: 'logic.rate-gate', params: { limit: 2, per: 'second', burst: 1 } },
      l: { operator: 'core.unstreamify', params: {} },
    },
    ['t > s', 's > g', 'g > l'],
  );
  const { run } = play(flow, ['a', 'b', 'c'], { host });
  await host.advance(999);
  expect(run.answer).toBeUndefined();
  await host.advance(1);
  expect(run.answer).toMatchObject({ body: ['a', 'b', 'c'] });
});

test('on a server: items of a for-each take turns, and a durable run sleeps until its turn', async () => {
  const flows = tempFolder('flows');
  const gate = { operator: 'logic.rate-gate', params: { limit: 50, per: 'second', burst: 1 } };
  write(flows, 'item.json', {
    format: 1,
    id: 'item',
    nodes: { start: { operator: 'trigger.manual' }, gate },
    edges: [{ from: 'start.out', to: 'gate.in' }],
  });
  write(flows, 'each.json', {
    format: 1,
    id: 'each',
    nodes: {
      start: httpTrigger('/each', { methods: ['POST'], request: { type: 'array' } }),
      each: { operator: 'data.for-each', params: { flow: 'item', items: '{{ input }}' } },
    },
    edges: [{ from: 'start.out', to: 'each.in' }],
  });
  write(flows, 'asleep.json', {
    format: 1,
    id: 'asleep',
    settings: { durable: true, record: 'full' },
    nodes: {
      start: httpTrigger('/asleep', { methods: ['POST'], answer: 'immediately' }),
      gate: { ...gate, params: { ...gate.params, limit: 1, per: 'second' } },
    },
    edges: [{ from: 'start.out', to: 'gate.in' }],
  });
  const server = await startServer({ flows });
  onTestFinished(() => discard(server));
  const owner = await signIn(server);
  const post = (path: string, body: string) =>
    call(server, path, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  const each = await post('/each', '[1,2,3,4]');
  expect([each.status, each.headers.get('location')]).toEqual([200, null]);
  expect(each.text).toContain('1');
  await post('/asleep', '1');
  const { headers } = await post('/asleep', '2');
  const run = headers.get('x-weft-run') ?? '';
  const { events } = await eventually(async () => {
    const page = await owner.data<{ events: { kind: string; node?: string }[] }>(
      'GET',
      `/runs/${run}/events`,
    );
    expect(page.events.at(-1)).toMatchObject({ kind: 'run-finished', status: 'ok' });
    return page;
  });
  expect(events.filter(({ kind }) => kind === 'node-waiting')).toEqual([
    expect.objectContaining({ node: 'gate' }),
  ]);
});
