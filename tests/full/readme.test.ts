import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { runCurl } from '../support/curl.ts';
import { eventually } from '../support/eventually.ts';
import { edit, write } from '../support/flows.ts';
import { packPackage } from '../support/install-package.ts';
import { type Fence, fencesOf, linkedFiles } from '../support/markdown.ts';
import { type Ended, type Program, runProgram, startProgram } from '../support/process.ts';
import { root } from '../support/server.ts';
import { freshClone, strangersEnv } from '../support/stranger.ts';

/**
 * Everything that the README says to type is typed here, in its order and in a fresh clone. A command that no handler
 * below knows fails.
 */
const pages = ['README.md', 'docs/start.md', 'flows/examples/README.md'];

let clone: string;
const env = strangersEnv({ WEFT_PORT: '0', WEFT_LOG_FORMAT: 'pretty', npm_config_prefer_offline: 'true' });
const hello = () => join(clone, 'flows/examples/simple_dag_example.json');

/** What runs while the tour goes on. */
const running: { server?: Program; watch?: Program; dev?: Program } = {};
let address = '';
let devAddress = '';

beforeAll(() => {
  clone = freshClone();
});
afterAll(async () => {
  for (const program of Object.values(running)) await program.interrupt();
  rmSync(dirname(clone), { recursive: true });
});

const shell = (line: string, seconds = 25): Promise<Ended> =>
  runProgram('sh', ['-c', line], { cwd: clone, env, timeout: seconds * 1000 });
const start = (line: string): Program => startProgram('sh', ['-c', line], { cwd: clone, env, group: true });
/** What npm starts; npm has an exit code of its own when it is interrupted. */
const withoutNpm = (line: string): string => line.replace('npm run weft --', 'exec node server/weft.js');
const greeting = async () => (await call({ url: address }, '/examples/hello?name=Ada')).body;

async function serve(line: string): Promise<void> {
  await running.server?.interrupt();
  running.server = start(line);
  const [, url = ''] = await running.server.prints(/Editor +(http:\/\/127\.0\.0\.1:\d+)\/\n/);
  address = url;
}

/** What each address of the docs answers. */
const answers: Readonly<Record<string, { status: number; body: unknown }>> = {
  '/examples/approval': { status: 202, body: { status: 'running' } },
  // A stream of events, which is no JSON.
  '/examples/chat/completions': { status: 200, body: undefined },
  '/examples/hello-code?name=Ada': { status: 200, body: 'Hello, Ada, your age is 18' },
  '/examples/hello?name=Ada': { status: 200, body: 'Hello, Ada, your age is 18' },
  '/examples/hello?age=old': {
    status: 400,
    body: { detail: [{ loc: ['query', 'name'] }, { loc: ['query', 'age'] }] },
  },
  '/examples/orders': { status: 201, body: { customer: 'Ada', amount: 120, decision: 'approved' } },
  // "It needs a connection `shop`."
  '/examples/shop/orders': { status: 500, body: { err_code: 'connection_missing' } },
  '/examples/ask?question=How+long+is+the+history+of+runs+kept': {
    status: 200,
    body: { found: true, answer: expect.stringContaining('30 days') },
  },
  '/examples/words?text=to+be+or+not+to+be': {
    status: 200,
    body: { count: 6, longest: 'not', shout: 'TO BE OR NOT TO BE!' },
  },
  '/shout?text=hello': { status: 200, body: 'HELLO!' },
};

async function curl(line: string): Promise<void> {
  const [, port, path = ''] = /127\.0\.0\.1:(\d+)\/api\/v1\/awel\/trigger(\/[^\s"]*)/.exec(line) ?? [];
  const expected = answers[path];
  if (expected === undefined) throw new Error(`Nobody said what ${path} answers.`);
  const origin = { '5670': address, '5555': devAddress }[port ?? ''] ?? '';
  await eventually(async () => expect(await runCurl(line, origin)).toMatchObject(expected));
  if (port === '5555') await editInDevMode();
  await running.watch?.prints(/order_triage ok/);
  await running.watch?.interrupt();
  delete running.watch;
}

/** With the key in the environment, as the text before it says. */
async function chat(line: string): Promise<void> {
  const key = readFileSync(join(clone, 'data/api-key.txt'), 'utf8').trim();
  const answer = await runCurl(line.replace('$WEFT_API_KEY', key), address);
  expect(answer).toMatchObject({ status: 200, body: { choices: [{ finish_reason: 'stop' }] } });
  expect(JSON.stringify(answer.body)).toContain('Hello');
}

/** The knowledge space that the text makes. */
let space = '';

/** In the shell, with a key that may do all but manage. */
async function keyed(line: string): Promise<void> {
  const key = readFileSync(join(clone, 'data/api-key.txt'), 'utf8').trim();
  const isNaming = line.startsWith('SPACE=');
  const shown = isNaming ? '; echo "$SPACE"' : '';
  const { code, stdout } = await shell(`KEY=${key}; SPACE=${space}; ${here(line)}${shown}`, 60);
  expect(code).toBe(0);
  if (isNaming) {
    space = stdout.trim();
    expect(space).toMatch(/^\d+$/);
    return;
  }
  expect(stdout).toContain('"success":true');
  expect(stdout).not.toContain('"success":false');
}

const here = (line: string): string => line.replace('http://127.0.0.1:5670', address);

/** "reloads it when you save, repeats your last request and shows what changed in the answer" */
async function editInDevMode(): Promise<void> {
  const { dev } = running;
  edit(join(clone, 'flows/shout.json'), (text) => text.replace('}}!"', '}}?"'));
  await dev?.prints(/Reloaded shout/);
  await dev?.prints(/HELLO\?/);
  expect(await dev?.interrupt()).toMatchObject({ code: 0 });
  delete running.dev;
  edit(join(clone, 'flows/shout.json'), (text) => text.replace('}}?"', '}}!"'));
}

/** "Break it" up to the check that finds the place, and "Fix it". */
async function breakAndMend(line: string): Promise<void> {
  const shipped = readFileSync(hello(), 'utf8');
  try {
    edit(hello(), (text) => text.replace('input.name', 'input.nmae'));
    const failed = await eventually(async () => {
      const answer = await call({ url: address }, '/examples/hello?name=Ada');
      expect(answer.status).toBe(422);
      return answer.text;
    });
    edit(hello(), (text) => text.replace('input.nmae', 'input.name'));
    await eventually(async () => expect(await greeting()).toBe('Hello, Ada, your age is 18'));
    edit(hello(), (text) => text.replace('"format"', '"format'));
    const found = await shell(line);
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(/simple_dag_example\.json:2:3/);
    expect(await greeting()).toBe('Hello, Ada, your age is 18');
    for (const told of ['params.template', 'handler', 'did you mean `input.name`'])
      expect(failed).toContain(told);
  } finally {
    write(clone, 'flows/examples/simple_dag_example.json', shipped);
  }
  expect(await shell(line)).toMatchObject({ code: 0 });
}

const handlers: readonly (readonly [RegExp, (line: string) => Promise<void>])[] = [
  [
    /^npm run pack$/,
    // In the checkout that is tested, so that its editor is built once for all tests.
    async () => {
      const folder = join(clone, 'dist');
      mkdirSync(folder, { recursive: true });
      for (const file of packPackage()) cpSync(file, join(folder, basename(file)));
    },
  ],
  [
    /^npm install --prefix \.\.\/weft-server "\$PWD\/dist\/weft-flow-\d+\.\d+\.\d+\.tgz"$/,
    async (line) => expect(await shell(line, 300)).toMatchObject({ code: 0 }),
  ],
  [
    /^cd \.\.\/weft-server && npx weft-flow$/,
    async (line) => {
      // "There you need Node 24": the Node of the system, which comes first, may be older.
      const program = start(`PATH=${dirname(process.execPath)}:$PATH; ${line.replace('npx', 'exec npx')}`);
      const [, url = ''] = await program.prints(/Editor +(http:\/\/127\.0\.0\.1:\d+)\/\n/);
      expect((await call({ url }, '/examples/hello?name=Ada')).body).toBe('Hello, Ada, your age is 18');
      const made = readdirSync(join(dirname(clone), 'weft-server')).filter(
        (name) => !/package|node_/.test(name),
      );
      expect(made.sort()).toEqual(['data', 'flows']);
      await program.interrupt();
    },
  ],
  [
    /^npm ci && npm start$/,
    async (line) => {
      await serve(line);
      expect(running.server?.stdout).toContain('API key   in ');
      expect(existsSync(join(clone, 'data/api-key.txt'))).toBe(true);
      expect(await greeting()).toBe('Hello, Ada, your age is 18');
    },
  ],
  [
    /^npm ci && npm test$/,
    // It is what runs this test; so only that CI calls the same.
    async (line) =>
      expect(
        readFileSync(join(root, '.ci/run'), 'utf8')
          .split('\n')
          .map((one) => one.trim()),
      ).toContain(line),
  ],
  [/^curl (?!-F |.*@million|.*\/v1\/(?:chat|knowledge)\/)/, curl],
  [/^(?:(?:SPACE=\$\()?curl|for page) .*\/v1\/knowledge\//, keyed],
  [/^(?:printf|awk) /, async (line) => expect(await shell(line)).toMatchObject({ code: 0 })],
  [
    // Without the connection that the text asks for.
    /^curl -F table=@sales\.csv /,
    async (line) =>
      expect(await shell(here(line))).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('connection_missing'),
      }),
  ],
  [
    /^curl .*@million\.csv /,
    async (line) =>
      expect(await shell(here(line), 300)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^\[{"key":"Rug","sales":142857,/),
      }),
  ],
  [
    /^curl -F table=@people\.csv /,
    async (line) =>
      expect(await shell(here(line))).toMatchObject({ code: 0, stdout: 'name,age\r\nAda,36\r\nLin,4\r\n' }),
  ],
  [/^curl .*[0-9]\/v1\/chat\/completions/, chat],
  [
    /^npm run weft -- watch$/,
    async (line) => {
      running.watch = start(`${withoutNpm(line)} --url ${address}`);
      await running.watch.prints(/watching all flows/);
    },
  ],
  [/^npm run weft -- check flows$/, breakAndMend],
  [
    /^npm run weft -- dev flows\/shout\.json$/,
    async (line) => {
      running.dev = start(`${withoutNpm(line)} --port 0`);
      const [, url = ''] = await running.dev.prints(/serves on (http:\/\/127\.0\.0\.1:\d+)/);
      devAddress = url;
    },
  ],
  [
    /^npm run weft -- run simple_dag_example --input '\{"name":"Ada"\}'$/,
    async (line) => {
      const ended = await shell(line);
      expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Hello, Ada, your age is 18') });
    },
  ],
  [
    /^npm run weft -- fmt flows$/,
    async (line) => {
      expect(await shell(line)).toMatchObject({ code: 0 });
      const file = 'flows/examples/simple_dag_example.json';
      expect(readFileSync(join(clone, file), 'utf8')).toBe(readFileSync(join(root, file), 'utf8'));
    },
  ],
  [
    /^node server$/,
    async (line) => {
      await serve(line);
      expect(await greeting()).toBe('Hello, Ada, your age is 18');
    },
  ],
  [
    /^node server --help$/,
    async (line) => {
      const ended = await shell(line);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      for (const name of ['WEFT_PORT', 'WEFT_EDITOR', 'weft.config.json'])
        expect(ended.stdout).toContain(name);
    },
  ],
];

async function type(line: string): Promise<void> {
  const found = handlers.filter(([pattern]) => pattern.test(line));
  if (found.length !== 1) throw new Error(`${found.length} handlers know this command of the docs: ${line}`);
  await found[0]?.[1](line);
}

/** "Save this as `flows/x.json`" */
function save({ before, text, page, line }: Fence): void {
  const file = /as `([^`]+)`:$/.exec(before)?.[1];
  if (file === undefined) throw new Error(`${page}:${line}: the text does not say where to save this.`);
  write(clone, file, `${text}\n`);
}

describe.each(pages)('%s', (page) => {
  for (const fence of fencesOf(page)) {
    const place = `line ${fence.line}`;
    if (fence.language === 'json') test(`${place}: a file to save`, () => save(fence));
    else if (fence.language === 'sh')
      for (const line of fence.text.split('\n')) test(`${place}: ${line}`, () => type(line));
    else test(`${place}: a block`, () => expect(['json', 'sh'], place).toContain(fence.language));
  }

  test('links to files that are there', () => {
    const missing = linkedFiles(page).filter((file) => !existsSync(join(root, file)));
    expect(missing).toEqual([]);
  });
});
