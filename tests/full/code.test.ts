import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { call } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { type FlowJson, httpTrigger, sayFlow, write } from '../support/flows.ts';
import { discard, type ServerSetup, startServer, tempFolder, type TestServer } from '../support/server.ts';

/** A trigger, code, and its result as the answer. */
function codeFlow(id: string, source: string, more: Readonly<Record<string, unknown>> = {}): FlowJson {
  return {
    format: 1,
    id,
    nodes: {
      code: { operator: 'code.run', params: { source, ...more } },
      trigger: httpTrigger(`/${id}`, { methods: ['POST'] }),
    },
    edges: [{ from: 'trigger.out', to: 'code.in' }],
  };
}

const limits = { cpuMs: 100, maxMs: 1000 };

const flows = [
  sayFlow('hello', 'Hello'),
  codeFlow('add', 'const { a, b } = input as { a: number; b: number };\nreturn { sum: a + b };'),
  codeFlow('throws', 'const a = 1;\nthrow new RangeError("too much");'),
  codeFlow('loops', 'for (;;);', limits),
  codeFlow('sparse', 'const a = [1]; a.length = 2 ** 32 - 1; return a.indexOf(7);', limits),
  codeFlow('eats', 'const all = []; for (;;) all.push(new Array(1e6).fill(1));', { cpuMs: 5000 }),
  codeFlow('slow', 'const end = Date.now() + 1500; while (Date.now() < end); return input;', {
    cpuMs: 10_000,
  }),
  codeFlow('braces', 'const hello = "{{ input.name }}"; return { hello };'),
  {
    format: 1,
    id: 'streams',
    nodes: {
      code: { operator: 'code.stream', params: { source: 'for await (const n of input) yield n * 2;' } },
      each: { operator: 'code.run', params: { source: 'return [input, ctx.index];' } },
      items: { operator: 'core.streamify' },
      list: { operator: 'core.unstreamify' },
      trigger: httpTrigger('/streams', { methods: ['POST'] }),
    },
    edges: [
      { from: 'items.out', to: 'code.in' },
      { from: 'code.out', to: 'each.in' },
      { from: 'each.out', to: 'list.in' },
      { from: 'trigger.out', to: 'items.in' },
    ],
  },
] satisfies FlowJson[];

async function start(setup: ServerSetup = {}): Promise<TestServer> {
  const folder = tempFolder('code');
  for (const flow of flows) write(folder, `${flow.id}.json`, flow);
  return await startServer({ ...setup, flows: folder });
}

function post(server: TestServer, id: string, body: unknown = {}) {
  return call(server, `/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

describe.each(['on', 'quickjs'])('code nodes over HTTP, WEFT_CODE=%s', (setting) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await start({ env: { WEFT_CODE: setting } });
  });
  afterAll(() => discard(server));

  test('the answer is what the code returns', async () => {
    expect(await post(server, 'add', { a: 40, b: 2 })).toMatchObject({ status: 200, body: { sum: 42 } });
    expect(await post(server, 'braces')).toMatchObject({ body: { hello: '{{ input.name }}' } });
  });

  test('a stream goes through code item by item', async () => {
    expect((await post(server, 'streams', [1, 2, 3])).body).toEqual([
      [2, 0],
      [4, 1],
      [6, 2],
    ]);
  });

  test('an error of the code is told with its line', async () => {
    const { status, text } = await post(server, 'throws');
    expect(status).toBe(500);
    expect(text).toContain('code_failed');
    expect(text).toContain('line 2');
  });

  test.each([
    ['loops', 504, 'code_timeout'],
    ['sparse', 504, 'code_timeout'],
    // Which limit it meets first hangs on how busy the machine is.
    ['eats', expect.any(Number), /code_memory|code_timeout|run_timeout|out of memory/],
  ])('hostile code (%s) fails while others are answered', async (id, status, code) => {
    const hostile = post(server, id);
    let isThere = true;
    void hostile.finally(() => (isThere = false));
    let others = 0;
    do {
      expect(await call(server, '/hello')).toMatchObject({ status: 200, body: 'Hello' });
      others++;
    } while (isThere && others < 10_000);
    const answer = await hostile;
    expect(answer.status).toEqual(status);
    expect(answer.text).toMatch(code);
    expect(others).toBeGreaterThan(1);
    expect(await post(server, 'add', { a: 1, b: 1 })).toMatchObject({ status: 200, body: { sum: 2 } });
  });
});

test('a sandbox host that is killed in the middle of a call costs that call nothing', async () => {
  const server = await start();
  onTestFinished(() => discard(server));
  await post(server, 'add', { a: 1, b: 1 });
  const slow = post(server, 'slow', { x: 1 });
  const before = computed(server);
  await eventually(() => expect(computed(server)).toBeGreaterThan(before + 10));
  for (const pid of hostsOf(server)) process.kill(pid, 'SIGKILL');
  expect(await slow).toMatchObject({ status: 200, body: { x: 1 } });
  expect(await post(server, 'add', { a: 1, b: 2 })).toMatchObject({ body: { sum: 3 } });
});

test.each(['SIGKILL', 'SIGTERM'] as const)(
  '%s of the server leaves no sandbox host behind',
  async (signal) => {
    const server = await start();
    onTestFinished(() => discard(server));
    // On a busy machine a host that did not answer in time may have been ended.
    const hosts = await eventually(async () => {
      await post(server, 'add', { a: 1, b: 1 });
      const found = hostsOf(server);
      expect(found.length).toBeGreaterThan(0);
      return found;
    });
    await server.stop(signal);
    await eventually(() => expect(hosts.filter(isAlive)).toEqual([]));
  },
);

test('no host is started where no code runs, and none where it is off', async () => {
  const server = await start({ env: { WEFT_CODE: 'off' } });
  onTestFinished(() => discard(server));
  const answer = await post(server, 'add', { a: 1, b: 1 });
  expect(answer.status).toBe(500);
  expect(answer.text).toContain('service_missing');
  expect(hostsOf(server)).toEqual([]);
});

test('code that cannot be read keeps its flow from going live, and the problem says where', async () => {
  const folder = tempFolder('code');
  write(folder, 'broken.json', codeFlow('broken', 'const a = 1;\nconst b = ;'));
  const server = await startServer({ flows: folder });
  onTestFinished(() => discard(server));
  const headers = { authorization: `Bearer ${server.key}` };
  const answer = await fetch(`${server.url}/api/v1/flows/broken`, { headers });
  const { data } = (await answer.json()) as { data: { problems: unknown[] } };
  expect(data.problems).toContainEqual(
    expect.objectContaining({
      code: 'code-syntax',
      node: 'code',
      field: 'params.source',
      message: expect.stringContaining('line 2, column 11') as unknown,
    }),
  );
});

/** Children of the server, as the system lists them. */
function hostsOf({ process: { pid } }: TestServer): number[] {
  const parents = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return parents.map(Number).filter((one) => statOf(one)?.[1] === String(pid));
}

/** Processor time of its hosts, in hundredths of a second. */
function computed(server: TestServer): number {
  return hostsOf(server).reduce((sum, pid) => sum + Number(statOf(pid)?.[11] ?? 0), 0);
}

function isAlive(pid: number): boolean {
  const state = statOf(pid)?.[0];
  return state !== undefined && state !== 'Z';
}

/** What `/proc/<pid>/stat` says after the name: state, parent, …; the processor time in user mode is the twelfth. */
function statOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return undefined;
  }
}
