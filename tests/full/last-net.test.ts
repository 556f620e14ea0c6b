import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { RunSummary } from '#shared/run-event.ts';
import { ask, call, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { type FlowJson, httpTrigger, sayFlow, write } from '../support/flows.ts';
import { metric } from '../support/metrics.ts';
import { discard, startServer, tempFolder, type TestServer } from '../support/server.ts';

/** What an operator of somebody else's leaves to nobody, in real servers. */
const operator = (what: string): string => `
  export default ({ defineOperator, input, output, z }) =>
    defineOperator({
      title: 'Loose', doc: 'Leaves an error to nobody.', icon: 'bomb', effects: 'read', examples: [],
      params: z.object({}),
      inputs: { in: input() },
      outputs: { out: output() },
      async run(call) {
        const loose = Object.assign(new Error('nobody waits'), { password: 'canary-4711' });
        ${what}
        return 'done';
      },
    });`;

const looseFlow = (id: string): FlowJson => ({
  format: 1,
  id,
  nodes: { trigger: httpTrigger(`/${id}`), it: { operator: `loose.${id}` } },
  edges: [{ from: 'trigger.out', to: 'it.in' }],
});

/** A flow that rejects, one that throws, one that waits for the file `open` beside the flows, and one that says hello. */
async function start(env: Record<string, string> = {}): Promise<TestServer> {
  const folder = tempFolder('loose');
  write(folder, 'operators/loose/reject.mjs', operator('void Promise.reject(loose);'));
  write(folder, 'operators/loose/throw.mjs', operator('setTimeout(() => { throw loose; });'));
  const flows = join(folder, 'flows');
  const open = JSON.stringify(join(flows, 'open'));
  const wait = `const { existsSync } = await import('node:fs'); while (!existsSync(${open})) await call.sleep(5);`;
  write(folder, 'operators/loose/gate.mjs', operator(wait));
  const all = [looseFlow('reject'), looseFlow('throw'), looseFlow('gate'), sayFlow('hello', 'hello')];
  for (const flow of all) write(flows, `${flow.id}.json`, flow);
  const server = await startServer({
    flows,
    env: { WEFT_OPERATORS: join(folder, 'operators'), WEFT_GRACE_MS: '60000', ...env },
  });
  onTestFinished(() => discard(server));
  return server;
}

const uncaught = (server: TestServer, kind: string): Promise<number> =>
  metric(server, `weft_uncaught_errors_total{kind="${kind}"}`);

interface LogLine {
  readonly level: number;
  readonly owner?: string;
  readonly err?: object;
}

const linesOf = (server: TestServer, owner: string): LogLine[] =>
  server
    .output()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as LogLine] : []))
    .filter((line) => line.owner === owner);

test('a rejected promise of nobody is logged with its owner and counted, and the server goes on', async () => {
  const server = await start();
  expect(await uncaught(server, 'rejection')).toBe(0);
  for (let i = 0; i < 20; i++) expect((await call(server, '/reject')).body).toBe('done');
  await eventually(async () => expect(await uncaught(server, 'rejection')).toBe(20));
  const lines = linesOf(server, 'loose/reject.mjs');
  expect(lines[0]).toMatchObject({ level: 50, err: { type: 'Error', message: 'nobody waits' } });
  // Many of one owner are a line a second.
  expect(lines.length).toBeLessThan(20);
  expect(server.output()).not.toContain('canary-4711');
  expect((await call(server, '/hello')).body).toBe('hello');
  expect(await server.stop()).toBe(0);
});

test('after an exception of nobody the server ends in order, with code 70', async () => {
  const server = await start();
  const ended = once(server.process, 'exit');
  const late = call(server, '/gate');
  await eventually(async () => expect(await metric(server, 'weft_runs_in_flight')).toBe(1));
  expect((await call(server, '/throw')).body).toBe('done');
  await eventually(async () => expect((await ask(`${server.url}/readyz`)).status).toBe(503));
  write(server.flows, 'open', '');
  expect((await late).body).toBe('done');
  expect((await ended)[0]).toBe(70);
  expect(linesOf(server, 'loose/throw.mjs')).toMatchObject([{ level: 60, err: { message: 'nobody waits' } }]);
  expect(server.output()).not.toContain('canary-4711');

  const { flows, data } = server;
  const next = await startServer({ flows, data });
  onTestFinished(() => discard(next));
  const { runs } = await (await signIn(next)).data<{ runs: RunSummary[] }>('GET', '/runs?flow=gate');
  expect(runs.map(({ status }) => status)).toEqual(['ok']);
});

test('one of several processes that ends so is started again', async () => {
  const server = await start({ WEFT_PROCESSES: '2', WEFT_GRACE_MS: '100' });
  expect((await call(server, '/throw')).body).toBe('done');
  await eventually(() => expect(server.output()).toContain('a process serves again'));
  expect(server.output()).toContain('"code":70');
  expect((await call(server, '/hello')).body).toBe('hello');
});

test('a client that resets its connection after a CONNECT is no error of nobody', async () => {
  const server = await start();
  const { port } = new URL(server.url);
  for (let i = 0; i < 5; i++) {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
    socket.write('CONNECT other:443 HTTP/1.1\r\nHost: other\r\n\r\n');
    await once(socket, 'data');
    socket.resetAndDestroy();
    await once(socket, 'close');
  }
  expect((await call(server, '/hello')).body).toBe('hello');
  expect(await uncaught(server, 'exception')).toBe(0);
});
