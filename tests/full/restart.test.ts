import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FlowDetail, FlowSummary } from '#shared/api.ts';
import { ask, call, type Owner, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { copyOfExamples, edit, flowText, lateFlow, sayFlow, write } from '../support/flows.ts';
import { type Ended, runProgram } from '../support/process.ts';
import { metric } from '../support/metrics.ts';
import { discard, type ServerSetup, startServer, type TestServer } from '../support/server.ts';
import { scratchFolder } from '../support/scratch.ts';
import { followFeed } from '../support/sockets.ts';

/** What is left after a crash, a stop and a bad start. */
async function start(setup: ServerSetup = {}): Promise<TestServer> {
  const server = await startServer(setup);
  onTestFinished(() => discard(server));
  return server;
}

/** The same flows and data, by a new process. */
const again = ({ flows, data }: TestServer) => start({ flows, data });

const says = async (server: TestServer, flow: string) => (await call(server, `/${flow}`)).body;

describe('after a kill in the middle of saves', () => {
  test('every flow file parses, and each flow serves the last version that was acknowledged or the one after', async () => {
    let server = await start();
    const acknowledged = { one: 0, two: 0 };
    const owner = await signIn(server);
    for (const id of ['one', 'two'] as const) await owner.data('POST', '/flows', { flow: numbered(id, 0) });
    for (const killAfter of [3, 10, 25, 40]) {
      const saving = saveUntilGone(server, await signInAgain(server, owner), acknowledged, killAfter);
      await saving;
      server = await again(server);
      for (const name of readdirSync(server.flows).filter((file) => !file.startsWith('.'))) {
        expect(['one.json', 'two.json']).toContain(name);
        expect(() => JSON.parse(readFileSync(join(server.flows, name), 'utf8')) as unknown).not.toThrow();
      }
      for (const id of ['one', 'two'] as const) {
        const served = Number.parseInt(String(await says(server, id)), 10);
        expect([acknowledged[id], acknowledged[id] + 1]).toContain(served);
        acknowledged[id] = served;
      }
    }
  });

  /** With some weight, so that a write takes its time. */
  const numbered = (id: string, n: number) => sayFlow(id, `${n} ${'x'.repeat(50_000)}`);

  /** A restart signs everybody out. */
  async function signInAgain(server: TestServer, known: Owner): Promise<Owner> {
    const session = await known.api('GET', '/session').catch(() => undefined);
    return session?.status === 200 ? known : signIn(server);
  }

  async function saveUntilGone(
    server: TestServer,
    owner: Owner,
    acknowledged: Record<'one' | 'two', number>,
    killAfter: number,
  ): Promise<void> {
    let saves = 0;
    async function saver(id: 'one' | 'two'): Promise<void> {
      let { revision } = await owner.data<FlowDetail>('GET', `/flows/${id}`);
      for (;;) {
        const n = acknowledged[id] + 1;
        const text = flowText(numbered(id, n));
        ({ revision } = await owner.data<FlowDetail>('PUT', `/flows/${id}`, { text, revision }));
        acknowledged[id] = n;
        if (++saves === killAfter) server.process.kill('SIGKILL');
      }
    }
    const ends = await Promise.allSettled([saver('one'), saver('two')]);
    for (const end of ends) expect(end).toMatchObject({ status: 'rejected', reason: expect.any(TypeError) });
    expect(saves).toBeGreaterThanOrEqual(killAfter);
    await server.stop();
    expect(server.process.signalCode).toBe('SIGKILL');
  }
});

test('a file that was broken before a restart goes on serving its last good version after it', async () => {
  const first = await start({ flows: copyOfExamples() });
  const owner = await signIn(first);
  await eventually(async () =>
    expect(await owner.data('GET', '/flows/simple_dag_example/versions')).toHaveLength(1),
  );
  edit(join(first.flows, 'examples/simple_dag_example.json'), (text) => text.slice(0, -30));
  await first.stop();
  const second = await again(first);
  expect((await call(second, '/examples/hello?name=Ada')).body).toBe('Hello, Ada, your age is 18');
  const flow = await (await signIn(second)).data<FlowDetail>('GET', '/flows/simple_dag_example');
  expect(flow).toMatchObject({
    state: 'broken',
    problems: expect.arrayContaining([expect.objectContaining({ code: 'json-syntax' })]),
  });
});

test('a fresh data folder serves exactly the files', async () => {
  const first = await start({ flows: copyOfExamples() });
  write(first.flows, 'mine.json', sayFlow('mine', 'mine'));
  await eventually(async () => expect(await says(first, 'mine')).toBe('mine'));
  rmSync(join(first.flows, 'examples/order_triage.json'));
  edit(join(first.flows, 'examples/simple_dag_example.json'), (text) => text.slice(0, -30));
  await first.stop();
  const fresh = await start({ flows: first.flows });
  const flows = await (await signIn(fresh)).data<FlowSummary[]>('GET', '/flows');
  expect(flows.map(({ id, state, version }) => [id, state, version !== undefined])).toEqual([
    ['agent_example', 'live', true],
    ['approval_example', 'live', true],
    ['ask_docs_example', 'live', true],
    ['ask_shop_example', 'live', true],
    ['chat_example', 'live', true],
    ['fan_out_join', 'live', true],
    ['form_example', 'live', true],
    ['hello_code', 'live', true],
    ['import_table', 'live', true],
    ['mine', 'live', true],
    ['openai_chat_example', 'live', true],
    ['purchase_example', 'live', true],
    ['quote_example', 'live', true],
    ['sales_report', 'live', true],
    ['shop_orders', 'live', true],
    ['simple_dag_example', 'broken', false],
    ['sort_table', 'live', true],
  ]);
  expect((await call(fresh, '/examples/hello?name=Ada')).status).toBe(404);
  expect(await says(fresh, 'mine')).toBe('mine');
});

test('keys, variables, drafts and sessions are there after a restart', async () => {
  const first = await start();
  const owner = await signIn(first);
  await owner.data('PUT', '/variables/color', { value: 'red' });
  await owner.data('POST', '/flows', { flow: sayFlow('painted', '{{ vars.color }}') });
  const { revision } = await owner.data<FlowDetail>('GET', '/flows/painted');
  await owner.data('PUT', '/flows/painted', { text: '{ "half', revision });
  expect(await first.stop()).toBe(0);
  const second = await again(first);
  expect(second.key).toBe(first.key);
  expect(await says(second, 'painted')).toBe('red');
  const headers = { authorization: `Bearer ${first.key}` };
  const flow = await ask(`${second.url}/api/v1/flows/painted`, { headers });
  expect(flow.body).toMatchObject({ data: { hasDraft: true, text: '{ "half', state: 'live' } });
  expect((await ask(`${second.url}/api/v1/flows`, { headers: owner.headers })).status).toBe(200);
});

describe('SIGTERM', () => {
  test('lets a run in flight answer, refuses new requests, tells websockets to come back, and exits with 0', async () => {
    const flows = scratchFolder('flows');
    write(flows, 'late.json', lateFlow('late', 'done', 1500));
    write(flows, 'quick.json', sayFlow('quick', 'quick'));
    const server = await start({ flows });
    const feed = await followFeed(server);
    const answer = call(server, '/late');
    await feed.until((items) => items.length > 0);
    const stopped = server.stop('SIGTERM');
    const refused = await eventually(async () => {
      const seen = await call(server, '/quick');
      expect(seen.status).toBe(503);
      return seen;
    });
    expect(refused).toMatchObject({ body: { err_code: 'draining' } });
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    const ready = await ask(`${server.url}/readyz`);
    expect(ready).toMatchObject({ status: 503, body: { checks: { server: 'draining' } } });
    expect(await answer).toMatchObject({ status: 200, body: 'done' });
    expect(await feed.closed).toMatchObject({ code: 1012 });
    expect(await stopped).toBe(0);
    await expect(call(server, '/quick')).rejects.toThrow('fetch failed');
  });

  test('gives up on a run that takes longer than the grace time, with a coded answer', async () => {
    const flows = scratchFolder('flows');
    write(flows, 'endless.json', lateFlow('endless', 'never', 25_000));
    const server = await start({ flows, env: { WEFT_GRACE_MS: '100' } });
    const answer = call(server, '/endless');
    await eventually(async () => expect(await metric(server, 'weft_runs_in_flight')).toBe(1));
    expect(await server.stop('SIGTERM')).toBe(0);
    expect(await answer).toMatchObject({ body: { err_code: 'draining' } });
  });

  test.each(['SIGINT', 'SIGHUP'] as const)('and %s stop an idle server with exit code 0', async (signal) => {
    const server = await start();
    expect(await server.stop(signal)).toBe(0);
    expect(readdirSync(server.data)).not.toContain('weft.pid');
  });
});

describe('a start that cannot be says why, without a stack, and exits with 1:', () => {
  const attempt = (env: Record<string, string>, args: string[] = []): Promise<Ended> =>
    runProgram(process.execPath, ['server', ...args], {
      env: { WEFT_PORT: '0', WEFT_FLOWS: scratchFolder('flows'), WEFT_DATA: scratchFolder('data'), ...env },
    });
  const expectMessage = ({ code, stdout, stderr }: Ended, message: RegExp) => {
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
  };

  test('another server uses the data folder', async () => {
    const { data, process: owner } = await start();
    expectMessage(
      await attempt({ WEFT_DATA: data }),
      new RegExp(
        `Another server uses the data folder ${data} \\(process ${owner.pid}, .*Stop it, or set WEFT_DATA`,
      ),
    );
  });

  test('the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const message = new RegExp(`Port ${port} on 127.0.0.1 is taken.*WEFT_PORT`);
    expectMessage(await attempt({ WEFT_PORT: String(port) }), message);
  });

  test('the data folder cannot be made', async () => {
    const file = join(scratchFolder('data'), 'file');
    writeFileSync(file, '');
    for (const data of [file, join(file, 'below')]) {
      expectMessage(await attempt({ WEFT_DATA: data }), /data folder .*file.* cannot be written.*WEFT_DATA/);
    }
  });

  test('the data folder may not be written', async () => {
    // A file system of the kernel, since the root user may write everywhere else.
    const data = process.platform === 'linux' ? '/proc/self' : '/dev';
    expectMessage(await attempt({ WEFT_DATA: data }), /data folder .*cannot be written.*WEFT_DATA/);
  });

  test.each([
    [{ WEFT_PORT: 'http' }, /WEFT_PORT/],
    [{ WEFT_HOST: '0.0.0.0' }, /WEFT_ADMIN_PASSWORD/],
    [{ WEFT_EDITOR: 'yes' }, /WEFT_EDITOR.*on.*off/],
    [{ WEFT_BODY_LIMIT: 'much' }, /WEFT_BODY_LIMIT/],
    [{ WEFT_DATABASE_URL: 'postgres://x' }, /WEFT_DATABASE_URL/],
  ])('a setting makes no sense: %o', async (env, message) => expectMessage(await attempt(env), message));

  test('an option does not exist', async () => {
    expectMessage(await attempt({}, ['--prot=1']), /no option --prot=1.*--help/);
  });
});

test('a flows folder that is empty or missing serves nothing, until a file comes', async () => {
  const flows = join(scratchFolder('flows'), 'not/yet');
  const server = await start({ flows });
  expect(await (await signIn(server)).data('GET', '/flows')).toEqual([]);
  expect((await ask(`${server.url}/readyz`)).body).toMatchObject({ status: 'ready' });
  write(flows, 'first.json', sayFlow('first', 'first'));
  await eventually(async () => expect(await says(server, 'first')).toBe('first'));
});

test('with WEFT_EDITOR=off there are triggers, health and metrics, and nothing else', async () => {
  const server = await start({ flows: copyOfExamples(), env: { WEFT_EDITOR: 'off' } });
  expect((await call(server, '/examples/hello?name=Ada')).body).toBe('Hello, Ada, your age is 18');
  for (const path of ['/healthz', '/readyz', '/metrics'])
    expect((await ask(`${server.url}${path}`)).status, path).toBe(200);
  const headers = { authorization: `Bearer ${server.key}`, accept: 'text/html' };
  for (const path of ['/', '/api/v1/flows', '/api/v1/runs', '/api/v1/session', '/api/v1/variables'])
    expect(await ask(`${server.url}${path}`, { headers }), path).toMatchObject({
      status: 404,
      body: { err_code: 'not_found' },
    });
});
