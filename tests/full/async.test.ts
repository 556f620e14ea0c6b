import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { AcceptedRun, CalledRun, RunNotice } from '#shared/calls-api.ts';
import { type Answer, ask, call } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { discard, startServer, tempFolder, type TestServer } from '../support/server.ts';

/** Somebody else's server: it counts, and answers at an address only while nothing holds that. */
async function startOutside() {
  const got: { path: string; key: string; body: string }[] = [];
  const held = new Set<string>(['/work', '/hook']);
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const path = request.url ?? '';
      got.push({ path, key: String(request.headers['idempotency-key']), body });
      if (path === '/hook' && held.has(path)) response.destroy();
      else if (!held.has(path)) response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, got, held };
}

function flowsFor(url: string): object[] {
  const trigger = (path: string, more: object) => ({
    operator: 'trigger.http',
    params: { path, methods: ['POST'], auth: 'none', ...more },
  });
  const post = (path: string) => ({
    operator: 'http.request',
    params: {
      url: `${url}${path}`,
      method: 'POST',
      bodyType: 'json',
      body: '{{ trigger.body }}',
      timeoutMs: 60_000,
    },
  });
  const flow = (id: string, more: object, settings: object = {}) => ({
    format: 1,
    id,
    settings,
    nodes: { start: trigger(`/${id}`, more), first: post('/first'), work: post('/work') },
    edges: [
      { from: 'start.out', to: 'first.in' },
      { from: 'first.body', to: 'work.in' },
    ],
  });
  const told = flow('told', { answer: 'immediately', notify: { url: `${url}/hook` } });
  return [
    flow('later', { answer: 'immediately' }),
    { ...told, nodes: { start: told.nodes.start, first: told.nodes.first }, edges: [told.edges[0]] },
    flow('turns', { answer: 'immediately' }, { maxRuns: 1 }),
    flow('memory', {}),
  ];
}

const json = (n: number, key?: string): RequestInit => ({
  method: 'POST',
  body: JSON.stringify({ n }),
  headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
});
const accepted = (answer: Answer) => answer.body as AcceptedRun;

test('what was accepted with 202 outlives a kill -9: it goes on, is answered once, is told, and takes its turn', async () => {
  const outside = await startOutside();
  const flows = tempFolder('flows');
  for (const flow of flowsFor(outside.url) as { id: string }[])
    writeFileSync(join(flows, `${flow.id}.json`), JSON.stringify(flow));
  const env = { WEFT_OUTBOUND_ALLOW: '127.0.0.1' };
  const data = tempFolder('data');
  const start = async (): Promise<TestServer> => {
    const server = await startServer({ flows, data, env });
    onTestFinished(() => discard(server));
    return server;
  };
  const sent = (path: string) => outside.got.filter((one) => one.path === path);

  const first = await start();
  const later = await call(first, '/later', json(1, 'key-1'));
  expect(later.status).toBe(202);
  const told = await call(first, '/told', json(6));
  const turns = [await call(first, '/turns', json(2)), await call(first, '/turns', json(3))];
  const lost = call(first, '/memory', json(4, 'key-2')).catch(() => undefined);
  // Of the first, of the one whose turn it is, and of the one in memory; the fourth waits for its turn.
  await eventually(() => expect(sent('/work')).toHaveLength(3));
  await eventually(() => expect(sent('/hook').length).toBeGreaterThan(0));
  await first.stop('SIGKILL');
  await lost;

  outside.held.clear();
  const second = await start();
  const statusOf = async (one: Answer) => {
    const { body } = await ask(`${second.url}${accepted(one).statusUrl}`);
    return (body as { data: CalledRun }).data;
  };
  for (const one of [later, told, ...turns])
    await eventually(async () => expect(await statusOf(one)).toMatchObject({ status: 'ok' }));
  // What was recorded is not asked again, and what was in flight carries the same key.
  const ones = (path: string, n: number) => sent(path).filter(({ body }) => body === `{"n":${n}}`);
  expect(ones('/first', 1)).toHaveLength(1);
  const [before, after] = ones('/work', 1);
  expect(after?.key).toBe(before?.key);
  expect(ones('/work', 2)).toHaveLength(2);
  expect(ones('/first', 3)).toHaveLength(1);

  const repeat = await call(second, '/later', json(1, 'key-1'));
  expect([repeat.status, repeat.text]).toEqual([202, later.text]);
  expect(repeat.headers.get('idempotent-replayed')).toBe('true');
  expect(await call(second, '/memory', json(4, 'key-2'))).toMatchObject({
    status: 409,
    body: { err_code: 'idempotency_run_lost' },
  });

  // Its receiver was down before, and is told the same once it is up.
  const notices = await eventually(() => {
    const all = sent('/hook').map(({ body, key }) => ({ body, key }));
    expect(all.length).toBeGreaterThan(1);
    return all;
  });
  expect(new Set(notices.map(({ body }) => body)).size).toBe(1);
  const notice = JSON.parse(notices.at(-1)?.body ?? '') as RunNotice;
  expect(notice).toMatchObject({ run: accepted(told).run, flow: 'told', status: 'ok' });
  expect(notices.at(-1)?.key).toBe(notice.run);
});
