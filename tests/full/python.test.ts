import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Operator, Services } from '#engine';
import { modules } from '../../server/packages/weft-python/lib/modules.js';
import { eventually } from '../support/eventually.ts';
import { loadPython, PythonRun, type PythonSetup } from '../support/python.ts';

let python: Operator;

beforeAll(async () => {
  python = await loadPython();
  // Makes the picture of Python's memory.
  await new PythonRun(python, '').end();
});

const run = (source: string, setup?: PythonSetup): Promise<unknown> =>
  new PythonRun(python, source, setup).end();

describe('results', () => {
  test.each<[string, string, PythonSetup, unknown]>([
    ['a return', 'if input["n"] > 1:\n    return input["n"] * 2', { input: { n: 21 } }, 42],
    ['the variable `result`', 'result = [n * n for n in input]', { input: [1, 2] }, [1, 4]],
    ['the function `main`', 'def main(a, b=2):\n    return a + b', { values: { a: 40 } }, 42],
    ['`main` with fields of the input', 'def main(a, b):\n    return a + b', { input: { a: 40, b: 2 } }, 42],
    ['`main` with the input as a whole', 'def main(items):\n    return len(items)', { input: [1, 2, 3] }, 3],
    [
      '`main` with all there is',
      'def main(**all):\n    return all',
      { input: { a: 1 }, values: { b: 2 } },
      { a: 1, b: 2 },
    ],
    ['nothing', 'x = 1', {}, null],
    ['await', 'import asyncio\nawait asyncio.sleep(0.01)\nreturn 1', {}, 1],
    [
      'tasks beside each other',
      'import asyncio\nasync def main():\n    return await asyncio.gather(*(asyncio.sleep(0.01, n) for n in range(3)))',
      {},
      [0, 1, 2],
    ],
    [
      'classes and functions that use each other',
      'from dataclasses import dataclass, asdict\n@dataclass\nclass P:\n    x: int\ndef twice(p):\n    return P(p.x * 2)\nreturn asdict(twice(P(2)))',
      {},
      { x: 4 },
    ],
  ])('%s', async (_, source, setup, result) => {
    expect(await run(source, setup)).toEqual(result);
  });
});

test('values come and go as they are', async () => {
  const value = {
    text: 'ü😀\u0000',
    whole: 9007199254740991,
    part: 0.1,
    no: null,
    yes: true,
    list: [[]],
    '': {},
  };
  expect(await run('return input', { input: value })).toEqual(value);
  expect(
    await run('return [type(input[k]).__name__ for k in ("whole", "part", "no", "yes")]', { input: value }),
  ).toEqual(['int', 'float', 'NoneType', 'bool']);
  expect(await run('return (1, "a", None)')).toEqual([1, 'a', null]);
});

/** What has no JSON, and what the error says. */
const WITHOUT_JSON: readonly (readonly [expression: string, message: RegExp])[] = [
  ['float("nan")', /`result\.a` is nan/],
  ['float("-inf")', /`result\.a` is -inf/],
  ['2 ** 53', /beyond 2\^53.*str/],
  ['-(2 ** 63)', /beyond 2\^53/],
  ['b"abc"', /`result\.a` is a bytes: .*ctx\.new_file/],
  ['__import__("datetime").datetime(2026, 1, 1)', /isoformat/],
  ['__import__("datetime").timedelta(1)', /total_seconds/],
  ['__import__("decimal").Decimal("0.1")', /Decimal/],
  ['{1, 2}', /a set has no JSON/],
  ['{1: 2}', /key that is no text but an int: use `str\(key\)`/],
  ['{None: 2}', /key that is no text/],
  ['(n for n in [1])', /list\(…\)/],
  ['1j', /complex/],
  ['object()', /an object: an instance of a class has no JSON/],
  ['print', /not data/],
];

test('what has no JSON is refused, with the place and what to return instead', async () => {
  // As the result is read, so that not each of them takes a process.
  const source = [
    'import sys, datetime, decimal',
    'plain = sys._getframe(1).f_globals["plain"]',
    'def said(text):',
    '    try:',
    '        return plain({"a": eval(text)}, "result")',
    '    except Exception as error:',
    '        return [error.code, str(error)]',
    'return [said(text) for text in input]',
  ].join('\n');
  const said = await run(source, { input: WITHOUT_JSON.map(([expression]) => expression) });
  expect(said).toEqual(
    WITHOUT_JSON.map(([, message]) => ['not_serialisable', expect.stringMatching(message)]),
  );
  await expect(run('return {"a": b"abc"}')).rejects.toMatchObject({
    code: 'not_serialisable',
    field: 'params.source',
    data: { path: 'result.a' },
  });
});

test('a result that contains itself, or is too large, is refused', async () => {
  await expect(run('a = []\na.append(a)\nreturn a')).rejects.toMatchObject({ code: 'not_serialisable' });
  await expect(run('return "x" * 4_000_001')).rejects.toMatchObject({ code: 'value_too_large' });
});

describe('failures', () => {
  test('what the code raises is told with its line, and where that was called', async () => {
    const source = 'def f(x):\n    return 1 / x\n\nvalue = f(0)\n';
    await expect(run(source)).rejects.toMatchObject({
      code: 'code_failed',
      message: 'ZeroDivisionError: division by zero (line 2)',
      field: 'params.source',
      data: { name: 'ZeroDivisionError', line: 2, stack: ['node:4', 'node:2 in f'] },
    });
  });

  test('the line is that of the text, also where the code has a `return`', async () => {
    await expect(run('from __future__ import annotations\n\nx = {}\nreturn x["a"]')).rejects.toMatchObject({
      message: "KeyError: 'a' (line 4)",
    });
  });

  test.each([
    ['x = (1,\ny = 2', /SyntaxError: '\(' was never closed \(line 1, column 5\)/],
    ['if True:\nx = 1', /IndentationError: .* \(line 2, column 1\)/],
    ['class A:\n    return 1', /SyntaxError: 'return' outside function \(line 2/],
    ['"\\ud800".encode(', /SyntaxError/],
    ['a\u0000b', /null bytes/],
  ])('what cannot be compiled: %j', async (source, message) => {
    await expect(run(source)).rejects.toMatchObject({
      code: 'code_invalid',
      message: expect.stringMatching(message),
    });
  });

  test('an error may say that another attempt helps', async () => {
    const source = 'class Later(Exception):\n    retryable = True\nraise Later("soon")';
    await expect(run(source)).rejects.toMatchObject({ code: 'code_failed', transient: true });
  });

  test.each(['sys.exit(0)', 'raise KeyboardInterrupt', 'raise SystemExit'])(
    '%s is a failure',
    async (line) => {
      await expect(run(`import sys\n${line}`)).rejects.toMatchObject({ code: 'code_failed' });
    },
  );
});

test('what is printed is in the log, line by line', async () => {
  const call = new PythonRun(
    python,
    'import sys\nprint("a", 1)\nprint("b", end="")\nprint("c\\nd", file=sys.stderr)\nctx.log.error("e", {"x": 1})\nctx.log("ü")',
  );
  await call.end();
  expect(call.printed).toEqual(['info a 1', 'warn c', 'warn d', 'error e {"x": 1}', 'info ü', 'info b']);
});

describe('limits', () => {
  test.each([
    ['a loop of Python', 'while True: pass'],
    ['a loop of C', '10 ** 10 ** 8'],
    ['a pattern that backtracks', 'import re\nre.match(r"(a+)+$", "a" * 40 + "b")'],
  ])('%s is stopped, and the next call is served', async (_, source) => {
    await expect(run(source, { maxMs: 300 })).rejects.toMatchObject({ code: 'code_timeout' });
    expect(await run('return 1')).toBe(1);
  });

  test('memory', async () => {
    await expect(run('a = []\nwhile True: a.append(bytearray(1_000_000))')).rejects.toMatchObject({
      code: 'code_memory',
      message: expect.stringContaining('256 MB'),
    });
    expect(await run('return 1')).toBe(1);
  });

  test('the end of the run ends the process at once', async () => {
    const call = new PythonRun(python, 'while True: pass');
    const ended = call.end();
    setTimeout(() => call.abort(new Error('cancelled')), 200);
    await expect(ended).rejects.toThrow('cancelled');
  });

  test('calls share nothing', async () => {
    await run('import json, builtins\njson.secret = builtins.secret = 1\nopen("/home/x", "w").write("1")');
    expect(
      await run(
        'import json, builtins, os\nreturn [hasattr(json, "secret"), hasattr(builtins, "secret"), os.path.exists("/home/x")]',
      ),
    ).toEqual([false, false, false]);
  });

  test('random values differ from call to call', async () => {
    const source =
      'import random, uuid, secrets\nreturn [random.random(), str(uuid.uuid4()), secrets.token_hex()]';
    const [one, two] = [(await run(source)) as unknown[], (await run(source)) as unknown[]];
    expect(one.filter((value) => two.includes(value))).toEqual([]);
  });
});

describe('`ctx`', () => {
  const sent: unknown[] = [];
  const stored = new Map<string, unknown>();
  const services = {
    http: {
      async send(request: { url: string; body: Uint8Array | undefined }) {
        sent.push({ ...request, body: request.body && Buffer.from(request.body).toString() });
        if (request.url.includes('refused'))
          throw Object.assign(new Error('not there'), { code: 'outbound_refused' });
        return { status: 201, url: request.url, headers: { a: 'b' }, body: [Buffer.from('{"n": 1}')] };
      },
    },
    secrets: { reveal: async (name: string) => `secret of ${name}` },
    state: {
      get: async (scope: string, key: string) => stored.get(`${scope} ${key}`),
      set: async (scope: string, key: string, value: unknown) => void stored.set(`${scope} ${key}`, value),
      add: async (scope: string, key: string, by: number, { once }: { once: string }) => {
        stored.set(`${scope} ${key}`, once);
        return by;
      },
    },
    files: {
      find: async () => ({ $file: 'f', name: 'a.txt', type: 'text/plain', bytes: 3 }),
      open: async () => ({ content: [Buffer.from('a'), Buffer.from('ü')] }),
      create: async ({ name, content }: { name: string; content: Uint8Array }) => ({
        $file: 'new',
        name,
        type: 'x',
        bytes: content.length,
      }),
    },
  } as unknown as Services;

  test('requests go through the server', async () => {
    const source = [
      'answer = ctx.fetch("https://a.example/x", method="POST", json={"a": [1]}, headers={"x-n": 1}, timeout=2)',
      'return [answer.status, answer.ok, answer.json()["n"], answer.headers["a"], len(answer.content)]',
    ].join('\n');
    expect(await run(source, { services })).toEqual([201, true, 1, 'b', 8]);
    expect(sent.at(-1)).toMatchObject({
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-n': '1' },
      body: '{"a": [1]}',
      timeoutMs: 2000,
      onlyHosts: { of: 'weft-python', hosts: ['*'] },
    });
  });

  test('a refusal can be caught; if it is not, it is the error of the node', async () => {
    const source =
      'try:\n    ctx.fetch("https://refused.example")\nexcept Exception as error:\n    return [type(error).__name__, error.code, str(error)]';
    expect(await run(source, { services })).toEqual(['WeftError', 'outbound_refused', 'not there']);
    await expect(run('ctx.fetch("https://refused.example")', { services })).rejects.toMatchObject({
      code: 'outbound_refused',
    });
  });

  test('secrets, state, files, and facts about the run', async () => {
    expect(await run('return ctx.secret("key")', { services })).toBe('secret of key');
    const state =
      'ctx.state.set("a", [1])\nctx.state.add("n", 2, scope="shared")\nreturn [ctx.state.get("a"), ctx.state.get("b", "none")]';
    expect(await run(state, { services })).toEqual([[1], 'none']);
    expect([...stored]).toEqual([
      ['flow a', [1]],
      ['* n', 'run:node:1'],
    ]);
    const files =
      'f = ctx.file(input)\nreturn [f.name, f.size, f.text(), ctx.new_file("b.bin", b"\\x00\\xff")]';
    const file = { $file: 'f', name: 'a.txt', type: 'text/plain', bytes: 3 };
    expect(await run(files, { services, input: file })).toEqual([
      'a.txt',
      3,
      'aü',
      { $file: 'new', name: 'b.bin', type: 'x', bytes: 2 },
    ]);
    const facts = 'return [ctx.trigger["body"], ctx.attempt, ctx.idempotency_key, ctx.index]';
    expect(await run(facts, { services, trigger: { body: 7 } })).toEqual([7, 1, 'run:node', null]);
  });

  test('what is asked in the wrong form is refused', async () => {
    await expect(run('ctx.fetch("https://a.example", redirects=99)', { services })).rejects.toMatchObject({
      code: 'code_failed',
    });
    await expect(run('ctx.secret("a")', { services: {} })).rejects.toMatchObject({ code: 'service_missing' });
  });
});

test('an input that Python cannot get is refused', async () => {
  await expect(run('return 1', { input: { a: Buffer.from('x') } })).rejects.toMatchObject({
    code: 'not_serialisable',
    message: expect.stringContaining('input.a'),
  });
  await expect(run('return 1', { input: 'x'.repeat(8_000_001) })).rejects.toMatchObject({
    code: 'value_too_large',
  });
});

test('time zones are those of Node', async () => {
  const zones = [
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Africa/Casablanca',
    'Australia/Lord_Howe',
    'UTC',
  ];
  const times = Array.from({ length: 60 }, (_, at) => Date.UTC(1915 + 3 * at, (5 * at) % 12, 11) / 1000);
  const source = [
    'from datetime import datetime',
    'from zoneinfo import ZoneInfo',
    'def ahead(zone, time):',
    '    return datetime.fromtimestamp(time, ZoneInfo(zone)).utcoffset().total_seconds()',
    'return [[ahead(zone, time) for time in input["times"]] for zone in input["zones"]]',
  ].join('\n');
  const known = zones.map((zone) =>
    times.map((time) => {
      const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
      const [, sign = '+', hours = '0', minutes = '0'] =
        /GMT([+-])(\d\d):(\d\d)$/.exec(format.format(time * 1000)) ?? [];
      return (Number(hours) * 3600 + Number(minutes) * 60) * (sign === '-' ? -1 : 1) || 0;
    }),
  );
  expect(await run(source, { input: { zones, times } })).toEqual(known);
  await expect(run('import zoneinfo\nzoneinfo.ZoneInfo("Europe/Nowhere")')).rejects.toMatchObject({
    message: expect.stringContaining('No time zone found with key Europe/Nowhere'),
  });
});

test('the list of modules for `check` is that of what can be imported', async () => {
  const source = [
    'import importlib.util, sys',
    'public = (name for name in sys.stdlib_module_names if not name.startswith("_") or name == "__future__")',
    'return sorted(name for name in public if importlib.util.find_spec(name))',
  ].join('\n');
  expect(await run(source)).toEqual([...modules].sort());
});

test('processes end with their server, also if that is killed and they are busy', async () => {
  const support = new URL('../support/python.ts', import.meta.url).href;
  const script = `
    const { loadPython, PythonRun } = await import(${JSON.stringify(support)});
    const call = new PythonRun(await loadPython(), 'print("busy")\\nwhile True: pass', { maxMs: 600_000 });
    call.log = () => process.stdout.write('busy');
    await call.end();
  `;
  const server = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(server.stdout, 'data');
  const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ');
  expect(children.length).toBeGreaterThanOrEqual(1);
  server.kill('SIGKILL');
  await eventually(() => expect(children.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]));
});
