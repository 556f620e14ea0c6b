import { join } from 'node:path';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { FlowDetail, StartedRun } from '#shared/api.ts';
import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import { signIn } from './support/client.ts';
import { eventually } from './support/eventually.ts';
import { httpTrigger, write } from './support/flows.ts';
import { runProgram } from './support/process.ts';
import { discard, product, startServer, tempFolder } from './support/server.ts';

/** Runs that outlive the process, on a real server that is killed. */

interface Asked {
  readonly path: string;
  readonly key: string | undefined;
}

/** Notes who asks; the first to ask for `/two` never gets an answer. */
async function outside(): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const isFirst = asked.every((one) => one.path !== path);
    asked.push({
      path,
      key: request.headers['idempotency-key'] as string | undefined,
    });
    if (path !== '/two' || !isFirst) response.end(JSON.stringify({ from: path }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function threeSteps(url: string, says: string) {
  const post = (path: string) => ({
    operator: 'http.request',
    params: { method: 'POST', url: `${url}${path}` },
  });
  return {
    format: 1 as const,
    id: 'lasting',
    settings: { durable: true },
    nodes: {
      start: httpTrigger('/lasting', { methods: ['POST'] }),
      one: post('/one'),
      two: post('/two'),
      three: post('/three'),
      end: { operator: 'text.template', params: { template: says } },
    },
    edges: [
      { from: 'start.out', to: 'one.in' },
      { from: 'one.body', to: 'two.in' },
      { from: 'two.body', to: 'three.in' },
      { from: 'three.body', to: 'end.in' },
    ],
  };
}

test('a run goes on after a kill: no finished step again, the one in flight under its key, at the version it began with', async () => {
  const { url, asked } = await outside();
  const paths = (): string[] => asked.map(({ path }) => path);
  const flows = tempFolder('flows');
  const data = tempFolder('data');
  const env = { WEFT_OUTBOUND_ALLOW: new URL(url).host };
  write(flows, 'lasting.json', threeSteps(url, 'the first version'));
  let server = await startServer({ flows, data, env });
  onTestFinished(() => discard(server));
  let owner = await signIn(server);
  const { run } = await owner.data<StartedRun>('POST', '/flows/lasting/run', { wait: false });
  await eventually(() => expect(paths()).toContain('/two'));
  const { revision } = await owner.data<FlowDetail>('GET', '/flows/lasting');
  const text = JSON.stringify(threeSteps(url, 'a newer version'));
  await owner.data('PUT', '/flows/lasting', { text, revision });

  await server.stop('SIGKILL');
  server = await startServer({ flows, data, env });
  await eventually(() => expect(paths()).toContain('/three'));
  expect(paths()).toEqual(['/one', '/two', '/two', '/three']);
  expect(asked[1]?.key).toBe(asked[2]?.key);
  expect(asked[1]?.key).toContain(run);

  owner = await signIn(server);
  await eventually(async () => {
    expect(await owner.data<RunSummary>('GET', `/runs/${run}`)).toMatchObject({ status: 'ok' });
  });
  const { events } = await owner.data<{ events: RunEvent[] }>('GET', `/runs/${run}/events`);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  expect(events.findLast((event) => event.kind === 'node-output')).toMatchObject({
    value: 'the first version',
  });
  expect(events.filter((event) => event.kind === 'node-started' && event.node === 'one')).toHaveLength(1);
  expect(await server.stop()).toBe(0);
  const args = [join(product, 'server/weft.js'), 'replay', run];
  const replayed = await runProgram(process.execPath, args, { env: { WEFT_DATA: data, WEFT_FLOWS: flows } });
  expect(replayed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The same \d+ outputs/) });
  expect(paths()).toHaveLength(4);
});

test('a run that is not recorded can be looked up when it has ended, and it is too late to cancel it', async () => {
  const flows = tempFolder('flows');
  write(flows, 'brief.json', {
    format: 1,
    id: 'brief',
    settings: { durable: true, record: 'off' },
    nodes: {
      start: httpTrigger('/brief', { methods: ['POST'] }),
      end: { operator: 'text.template', params: { template: 'done' } },
    },
    edges: [{ from: 'start.out', to: 'end.in' }],
  });
  const server = await startServer({ flows });
  onTestFinished(() => discard(server));
  const owner = await signIn(server);
  const { run } = await owner.data<StartedRun>('POST', '/flows/brief/run', { wait: false });
  await eventually(async () =>
    expect(await owner.data<RunSummary>('GET', `/runs/${run}`)).toMatchObject({ status: 'ok' }),
  );
  expect(await owner.api('POST', `/runs/${run}/cancel`)).toMatchObject({ status: 409 });
});
