import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { type HttpRequest, type Services, WeftError } from '#engine';
import type { CodeSandbox } from './code-service.ts';
import { callOf, type TestCall } from './testing/call.ts';
import { testSandbox } from './testing/sandbox.ts';

describe.each(['isolated-vm', 'quickjs'] as const)('code in %s', (engine) => {
  const services: Services = { http: { send: answer }, secrets: { reveal } };
  const sandbox = testSandbox({ engine, services });
  afterAll(() => sandbox.close());
  const run = (source: string, input: unknown = null, more: TestCall = {}) =>
    sandbox.run(callOf(source, input, more));
  const items = (source: string, input: unknown = null, more: TestCall = {}) =>
    collected(sandbox.stream(callOf(source, input, more)));

  test('gets a copy of its input and gives a copy of its result', async () => {
    const input = { list: [1, 2], text: 'ä😀' };
    expect(await run('input.list.push(3); return { input, same: inputs.in === input };', input)).toEqual({
      input: { list: [1, 2, 3], text: 'ä😀' },
      same: true,
    });
    expect(input.list).toEqual([1, 2]);
  });

  test('may await, in a body of its own or in a promise that it returns', async () => {
    expect(await run('return await Promise.resolve(1);')).toBe(1);
    expect(await run('return Promise.all([1, Promise.resolve(2)]);')).toEqual([1, 2]);
  });

  test('that returns nothing gives null; without an input it gets undefined', async () => {
    expect(await run('')).toBeNull();
    expect(await sandbox.run(callOf('return typeof input;', undefined))).toBe('undefined');
  });

  test('may be TypeScript', async () => {
    const source = 'interface A { n: number }\nconst a: A = input as A;\nreturn a.n satisfies number;';
    expect(await run(source, { n: 4 }, { language: 'typescript' })).toBe(4);
  });

  test('sees its run in ctx, and helpers', async () => {
    const context = { item: 'i', index: 3, attempt: 2 };
    const source = `const { trigger, vars, item, index, attempt, idempotencyKey } = ctx;
      return [trigger, vars, item, index, attempt, idempotencyKey, ctx.hash('abc'), ctx.uuid().length, typeof ctx.now(), ctx.random() < 1];`;
    const hash = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(await run(source, null, { context })).toEqual([
      { body: { from: 'test' } },
      { rate: 2 },
      'i',
      3,
      2,
      'run:node',
      hash,
      36,
      'number',
      true,
    ]);
    expect(await run('return [ctx.vars.rate, ctx.index];', null, { context })).toEqual([2, 3]);
  });

  test('writes into the log of its run', async () => {
    const lines: string[] = [];
    const log = (text: string, level: string) => void lines.push(`${level} ${text}`);
    await run("ctx.log('a', { b: 1 }); ctx.log.warn('c'); console.error(new RangeError('d'));", null, {
      log,
    });
    expect(lines).toEqual(['info a {"b":1}', 'warn c', 'error RangeError: d']);
  });

  test('asks the outside through the guarded client', async () => {
    const source = `const r = await ctx.fetch('http://shop.test/', { method: 'POST', body: { a: 1 } });
      return [r.status, r.ok, r.headers['content-type'], await r.json()];`;
    const asked = { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } };
    expect(await run(source)).toEqual([200, true, 'application/json', asked]);
  });

  test('gets whole numbers of an answer that would lose digits as texts', async () => {
    const text = '{"id":1212092628029698048,"n":7}';
    const source = `const r = await ctx.fetch('http://shop.test/echo', { method: 'POST', body: '${text}' });
      return [await r.json(), await r.text()];`;
    expect(await run(source)).toEqual([{ id: '1212092628029698048', n: 7 }, text]);
  });

  test.each(optionsOfFetch())('asks the outside with %s', async (options) => {
    const source = `const r = await ctx.fetch('http://shop.test/'${options && `, ${options}`}); return [r.status, (await r.json()).method];`;
    const method = /method: '(\w+)'/.exec(options)?.[1] ?? 'GET';
    expect(await run(source)).toEqual([200, method]);
  });

  test('gets secrets that its node may use', async () => {
    expect(await run("return await ctx.secret('key');")).toBe('value of key for node');
  });

  test('fails with what the outside refused, unless it catches that', async () => {
    await expect(run("return await ctx.secret('other');")).rejects.toMatchObject({
      code: 'secret_not_granted',
    });
    expect(await run("try { await ctx.secret('other'); } catch (e) { return [e.code, e.message]; }")).toEqual(
      ['secret_not_granted', 'Not for you.'],
    );
  });

  test('that is pure has no clock, no chance and no outside', async () => {
    const source =
      'return [typeof Date, typeof Math.random, typeof ctx.fetch, typeof ctx.secret, typeof ctx.now, typeof ctx.uuid, typeof Intl];';
    expect(new Set((await run(source, null, { pure: true })) as string[])).toEqual(new Set(['undefined']));
  });

  test.each([
    ['at once', 'const a = 1;\n\n  null.x;', 3, 'TypeError'],
    ['after an await', 'await null;\nthrow new RangeError("no");', 2, 'RangeError'],
    ['in a function', 'const f = () => {\n  throw new Error("no");\n};\nf();', 2, 'Error'],
  ])('that throws %s fails with its line', async (_, source, line, name) => {
    const failed = run(source, null, { language: 'javascript' });
    await expect(failed).rejects.toMatchObject({ code: 'code_failed', data: { line, name } });
    await expect(failed).rejects.toThrow(`(line ${line}, column `);
  });

  test.each([
    ["throw Object.assign(new Error('later'), { retryable: true });", true],
    ["throw Object.assign(new Error('never'), { retryable: 'yes' });", false],
    ["throw new Error('never');", false],
  ])('says by `retryable` whether another attempt may help: %s', async (source, transient) => {
    await expect(run(source)).rejects.toMatchObject({ code: 'code_failed', transient });
  });

  test('that cannot be read fails with its line', async () => {
    await expect(run('const a = 1;\nconst b = ;')).rejects.toMatchObject({
      code: 'code_invalid',
      data: { line: 2, column: 11 },
    });
  });

  test('leaves nothing behind for the next call', async () => {
    await expect(run('globalThis.left = 1;')).rejects.toMatchObject({ code: 'code_failed' });
    await expect(run('Array.prototype.left = 1;')).rejects.toMatchObject({ code: 'code_failed' });
    await expect(run('undeclared = 1;')).rejects.toMatchObject({ code: 'code_failed' });
  });

  test('may override what objects inherit', async () => {
    const source =
      'class A extends Error { constructor() { super("m"); this.name = "A"; } }\nconst o = {}; o.toString = () => "o"; return [String(new A()), `${o}`];';
    expect(await run(source)).toEqual(['A: m', 'o']);
  });

  test('ends at once when its run is stopped', async () => {
    const stop = new AbortController();
    const failed = run('await new Promise(() => {});', null, { signal: stop.signal });
    setTimeout(() => stop.abort(new WeftError('run_cancelled', 'Stopped.')), 20);
    await expect(failed).rejects.toMatchObject({ code: 'run_cancelled' });
    expect(await run('return 1;')).toBe(1);
  });

  test.each([
    ['an input without end', () => doubled(), 'value_too_large'],
    ['an input that holds itself', () => cycle(), 'not_serialisable'],
  ])('%s is refused', async (_, input, code) => {
    await expect(run('return 1;', input())).rejects.toMatchObject({ code });
  });

  test('many calls at once all get their own answers', async () => {
    const numbers = Array.from({ length: 500 }, (_, i) => i);
    expect(await Promise.all(numbers.map((n) => run('return input * 2;', n)))).toEqual(
      numbers.map((n) => 2 * n),
    );
    const awaited = numbers.map((n) => run('await null; return input * 2;', n));
    expect(await Promise.all(awaited)).toEqual(numbers.map((n) => 2 * n));
  });

  test('one that hangs among many costs only itself', async () => {
    const source = 'if (input === 50) for (;;); return input;';
    for (let n = 0; n < 5; n++) await run(source, n);
    const all = await Promise.allSettled(Array.from({ length: 100 }, (_, n) => run(source, n)));
    const failed = all.flatMap((result, n) => (result.status === 'rejected' ? [n] : []));
    expect(failed).toEqual([50]);
    expect(all[50]).toMatchObject({ reason: { code: 'code_timeout' } });
  });

  test('a stream gives its items one after the other, its input item by item', async () => {
    expect(await items('for (let n = 0; n < input; n++) yield n;', 100)).toEqual(
      Array.from({ length: 100 }, (_, n) => n),
    );
    const source = 'for await (const n of input) { if (n % 2) yield n * 10; }';
    expect(await items(source, count(200))).toEqual(Array.from({ length: 100 }, (_, n) => (2 * n + 1) * 10));
  });

  test('a stream reads its input only as it is read itself, and stops it when it is left', async () => {
    const seen = { given: 0, stopped: false };
    const stream = sandbox.stream(callOf('for await (const n of input) yield n;', watched(seen)));
    for await (const n of stream) if (n === 3) break;
    await expect.poll(() => seen.stopped).toBe(true);
    expect(seen.given).toBeLessThan(200);
  });

  test('a stream fails where its code or its input fails, behind the items before', async () => {
    const got: unknown[] = [];
    const stream = sandbox.stream(callOf('yield 1;\nyield 2;\nnull.x;', null));
    await expect(readInto(got, stream)).rejects.toMatchObject({ code: 'code_failed', data: { line: 3 } });
    expect(got).toEqual([1, 2]);
    const broken = sandbox.stream(callOf('for await (const n of input) yield n;', breaking()));
    await expect(readInto(got, broken)).rejects.toMatchObject({ code: 'outbound_failed' });
  });

  test('a stream may be stopped from outside', async () => {
    const stop = new AbortController();
    const stream = sandbox.stream(
      callOf('yield 1; await new Promise(() => {});', null, { signal: stop.signal }),
    );
    const reader = stream[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ done: false, value: 1 });
    const next = reader.next();
    stop.abort(new WeftError('run_cancelled', 'Stopped.'));
    await expect(next).rejects.toMatchObject({ code: 'run_cancelled' });
  });
});

describe('when a sandbox host is killed', () => {
  test('calls that have not reached the outside are run again, others fail as worth another attempt', async () => {
    let asked = (): void => {};
    const hasAsked = new Promise<void>((resolve) => (asked = resolve));
    const reveal = () => (asked(), new Promise<string>(() => {}));
    const sandbox = opened({ secrets: { reveal } });
    const outside = sandbox.run(callOf("return await ctx.secret('x');", 1));
    await hasAsked;
    const computing = sandbox.run(
      callOf('const end = Date.now() + 100; while (Date.now() < end); return input;', 7, { flow: 'b' }),
    );
    for (const pid of sandbox.pids) process.kill(pid, 'SIGKILL');
    await expect(outside).rejects.toMatchObject({ code: 'code_crashed', transient: true });
    expect(await computing).toBe(7);
  });

  test('the next call is served', async () => {
    const sandbox = opened();
    expect(await sandbox.run(callOf('return 1;', 1))).toBe(1);
    for (const pid of sandbox.pids) process.kill(pid, 'SIGKILL');
    expect(await sandbox.run(callOf('return 2;', 1))).toBe(2);
  });
});

test('closing ends the hosts and refuses calls', async () => {
  const sandbox = opened();
  await sandbox.run(callOf('return 1;', 1));
  const [pid = 0] = sandbox.pids;
  sandbox.close();
  await expect.poll(() => isAlive(pid)).toBe(false);
  await expect(sandbox.run(callOf('return 1;', 1))).rejects.toMatchObject({ code: 'code_unavailable' });
});

/** No options at all, and every combination of them, each also as `undefined`. */
function optionsOfFetch(): string[] {
  const fields = [
    "method: 'PUT'",
    "headers: { accept: '*/*' }",
    'body: { a: 1 }',
    'timeoutMs: 1000',
    'redirects: 0',
  ];
  const chosen = Array.from({ length: 2 ** fields.length }, (_, bits) => {
    const named = fields.filter((_field, i) => bits & (1 << i));
    return `{ ${named.join(', ')} }`;
  });
  const empty = fields.map((field) => `{ ${field.slice(0, field.indexOf(':'))}: undefined }`);
  return ['', 'undefined', '{ body: null }', ...chosen, ...empty];
}

function opened(services: Services = {}): CodeSandbox {
  const sandbox = testSandbox({ services });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Tells what it got; `/echo` sends the body back. */
async function answer({ url, method, body, headers }: HttpRequest) {
  const said = Buffer.from(
    url.endsWith('/echo') ? (body as string) : JSON.stringify({ method, body, headers }),
  );
  return {
    status: 200,
    url: 'http://shop.test/',
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield said;
    })(),
  };
}

async function reveal(name: string, by: { node: string }): Promise<string> {
  if (name !== 'key') throw new WeftError('secret_not_granted', 'Not for you.');
  return `value of ${name} for ${by.node}`;
}

async function* count(to: number): AsyncGenerator<number> {
  for (let n = 0; n < to; n++) yield n;
}

async function* watched(seen: { given: number; stopped: boolean }): AsyncGenerator<number> {
  try {
    for (;;) yield seen.given++;
  } finally {
    seen.stopped = true;
  }
}

async function* breaking(): AsyncGenerator<number> {
  yield 1;
  throw new WeftError('outbound_failed', 'The line is cut.');
}

async function collected(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const list: unknown[] = [];
  await readInto(list, stream);
  return list;
}

async function readInto(list: unknown[], stream: AsyncIterable<unknown>): Promise<void> {
  for await (const item of stream) list.push(item);
}

function doubled(): unknown {
  return Array.from({ length: 40 }).reduce<unknown>((inner) => [inner, inner], 'x');
}

function cycle(): unknown {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}
