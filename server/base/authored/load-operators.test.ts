import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Call, Operator } from '#engine';
import { loadOperators } from './load-operators.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-operators-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function write(file: string, text: string): Promise<void> {
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const shout = `export default ({ defineOperator, input, output, z }) => defineOperator({
  title: 'Shout',
  doc: 'Writes a text in capitals.',
  icon: 'megaphone',
  params: z.object({ mark: z.string().default('!').describe('What ends it.') }),
  inputs: { in: input() },
  outputs: { out: output({ schema: z.string() }) },
  effects: 'pure',
  examples: [{ title: 'Hello', inputs: { in: 'hello' }, outputs: { out: 'HELLO!' } }],
  run: ({ params, input: text }) => text.toUpperCase() + params.mark,
});`;

test('the built-in operators are found by their place', async () => {
  const { registry, problems } = await loadOperators({ builtIn: true });
  expect(problems).toEqual([]);
  expect([...registry.operators.keys()]).toEqual(
    expect.arrayContaining(['core.map', 'text.parse-json', 'trigger.http']),
  );
  expect(Object.keys(registry.catalog.operators).sort()).toEqual([...registry.operators.keys()].sort());
  expect(
    [...registry.operators.keys()].filter((type) => type.includes('_') || type.includes('test')),
  ).toEqual([]);
});

test.each(['ts', 'js', 'mjs'])(
  "a user's own .%s file is an operator beside the built-in ones",
  async (extension) => {
    await write(`voice/shout.${extension}`, shout);
    const { registry, problems } = await loadOperators({ builtIn: true, folder });
    expect(problems).toEqual([]);
    expect(registry.catalog.operators['voice.shout']).toMatchObject({
      type: 'voice.shout',
      group: 'voice',
      title: 'Shout',
    });
    expect(registry.operators.get('core.map')).toBeDefined();
    const run = registry.operators.get('voice.shout')?.run as (call: object) => unknown;
    expect(run({ params: { mark: '?' }, input: 'hello', inputs: { in: 'hello' } })).toBe('HELLO?');
  },
);

test('a TypeScript file may use types', async () => {
  await write(
    'voice/shout.ts',
    `interface Unused { readonly a: string }\n${shout.replace('input: text })', 'input: text }: any)')}`,
  );
  const { registry } = await loadOperators({ builtIn: false, folder });
  expect([...registry.operators.keys()]).toEqual(['voice.shout']);
});

test('a file may export the operator itself', async () => {
  const zod = import.meta.resolve('zod');
  await write(
    'voice/echo.mjs',
    `import { z } from ${JSON.stringify(zod)};
    export default { title: 'Echo', doc: 'Gives it back.', icon: 'repeat', params: z.object({}), effects: 'pure', examples: [],
      inputs: { in: { kind: 'value', required: true } }, outputs: { out: { kind: 'value' } }, run: (call) => call.input };`,
  );
  const { registry, problems } = await loadOperators({ builtIn: false, folder });
  expect(problems).toEqual([]);
  expect(registry.catalog.operators['voice.echo']?.inputs).toEqual([
    { name: 'in', kind: 'value', required: true },
  ]);
});

test('the operator of the guide loads and keeps its example', async () => {
  const guide = await readFile(new URL('../../../docs/operators.md', import.meta.url), 'utf8');
  await write('names/initials.ts', /```ts\n(.*?)```/s.exec(guide)?.[1] ?? '');
  const { registry, problems } = await loadOperators({ builtIn: true, folder });
  expect(problems).toEqual([]);
  const { params, run, examples } = registry.operators.get('names.initials') as Operator;
  const inputs = examples[0]?.inputs ?? {};
  const call = { params: params.parse({}), input: inputs['in'], inputs };
  expect(run?.(call as Call)).toBe(examples[0]?.outputs?.['out']);
});

test('a function that makes the operator may be async', async () => {
  await write('voice/shout.mjs', shout.replace('({ defineOperator', 'async ({ defineOperator'));
  const { registry } = await loadOperators({ builtIn: false, folder });
  expect([...registry.operators.keys()]).toEqual(['voice.shout']);
});

test('each broken file is a problem, and the good ones are there all the same', async () => {
  await write('voice/shout.js', shout);
  await write('bad/throws.js', 'throw new Error("no luck today")');
  await write('bad/throws-text.js', 'throw "just a text"');
  await write('bad/nothing.js', 'export const a = 1;');
  await write('bad/no-run.js', shout.replace(/run:.*$/m, ''));
  await write('bad/import.js', 'import "./is-not-there.js";');
  await write('Bad/Name.js', shout);
  await write('top.js', shout);
  const { registry, problems } = await loadOperators({ builtIn: false, folder });
  expect([...registry.operators.keys()]).toEqual(['voice.shout']);
  const messages = Object.fromEntries(problems.map(({ file, message }) => [file, message]));
  expect(messages).toEqual({
    'bad/throws.js': 'no luck today',
    'bad/throws-text.js': expect.stringContaining('just a text'),
    'bad/nothing.js': expect.stringContaining('not an operator'),
    'bad/no-run.js': expect.stringContaining('run is missing'),
    'bad/import.js': expect.stringContaining('is-not-there'),
    'Bad/Name.js': expect.stringContaining('may hold only a-z'),
    'top.js': expect.stringContaining('must be in a folder'),
  });
});

test('a file that never finishes loading is a problem', async () => {
  await write('slow/endless.mjs', 'await new Promise(() => {});');
  const { problems } = await loadOperators({ builtIn: false, folder, timeoutMs: 20 });
  expect(problems).toEqual([{ file: 'slow/endless.mjs', message: 'It did not load within 20 ms.' }]);
});

test('a file that never gives the processor back, or ends the process, costs itself alone', async () => {
  await write('bad/endless.mjs', 'for (;;) {}');
  await write('bad/exits.mjs', 'process.exit(0);');
  await write('voice/shout.mjs', shout);
  const { registry, problems } = await loadOperators({ builtIn: false, folder, timeoutMs: 1000 });
  expect([...registry.operators.keys()]).toEqual(['voice.shout']);
  expect(problems).toEqual([
    { file: 'bad/endless.mjs', message: 'It did not load within 1000 ms.' },
    { file: 'bad/exits.mjs', message: expect.stringContaining('ended the process (exit code 0)') },
  ]);
});

test("a user's operator keeps no hold on what it gave, and cannot change what it gets", async () => {
  await write(
    'odd/keeper.mjs',
    `import { defineOperator, input, output, z } from '#weft';
    const kept = [];
    export default defineOperator({ title: 'Keeper', doc: 'Keeps.', icon: 'box', params: z.object({}), effects: 'pure',
      inputs: { in: input() }, outputs: { out: output() }, examples: [],
      run({ input }) { if (input.change) input.list.push(1); kept.push(input.list.length); return { kept }; } });`,
  );
  const { registry } = await loadOperators({ builtIn: false, folder });
  const run = registry.operators.get('odd.keeper')?.run as (call: object) => unknown;
  const call = (value: object) => run({ params: {}, input: value, inputs: { in: value } });
  const first = call({ list: [] });
  call({ list: [1, 2] });
  expect(first).toEqual({ kept: [0] });
  expect(() => call({ change: true, list: [] })).toThrow(TypeError);
});

test('a name that a built-in operator has is a problem, and the built-in one stays', async () => {
  await write('core/map.js', shout);
  const { registry, problems } = await loadOperators({ builtIn: true, folder });
  expect(problems).toEqual([
    { file: 'core/map.js', message: expect.stringContaining('built-in operator core.map') },
  ]);
  expect(registry.catalog.operators['core.map']?.title).toBe('Map');
});

test('two files of one name are a problem for the second', async () => {
  await write('voice/shout.js', shout);
  await write('voice/shout.mjs', shout);
  const { registry, problems } = await loadOperators({ builtIn: false, folder });
  expect(problems).toEqual([{ file: 'voice/shout.mjs', message: expect.stringContaining('Another file') }]);
  expect([...registry.operators.keys()]).toEqual(['voice.shout']);
});

test('tests, helpers, type files, packages and hidden folders are passed over', async () => {
  const broken = 'throw new Error("must not be loaded")';
  for (const file of [
    'voice/shout.test.js',
    'voice/_helper.js',
    'voice/shout.d.ts',
    'voice/notes.md',
    'voice/data.json',
    '.git/hook.js',
    '_shared/a.js',
    'node_modules/b.js',
    'README.md',
    'package.json',
  ]) {
    await write(file, file.endsWith('package.json') ? '{}' : broken);
  }
  const { registry, problems } = await loadOperators({ builtIn: false, folder });
  expect(problems).toEqual([]);
  expect([...registry.operators.keys()]).toEqual([]);
});

test('a folder that is not there is an empty one', async () => {
  const { registry, problems } = await loadOperators({ builtIn: false, folder: join(folder, 'nowhere') });
  expect([...registry.operators.keys(), ...problems]).toEqual([]);
});

test('a folder that is a file is a problem', async () => {
  await write('operators', 'text');
  const { problems } = await loadOperators({ builtIn: false, folder: join(folder, 'operators') });
  expect(problems).toEqual([{ file: '', message: expect.stringContaining('ENOTDIR') }]);
});

test('on Node itself, broken syntax and TypeScript that is more than types are problems', async () => {
  await write('voice/shout.ts', shout);
  await write('bad/enum.ts', `enum A { B }\n${shout}`);
  await write('bad/syntax.js', 'export default {');
  const script = `
    const { loadOperators } = await import(${JSON.stringify(new URL('load-operators.ts', import.meta.url).href)});
    const { registry, problems } = await loadOperators({ builtIn: true, folder: ${JSON.stringify(folder)} });
    console.log(JSON.stringify({ own: registry.operators.has('voice.shout'), map: registry.operators.has('core.map'), problems }));`;
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd,
  });
  expect(JSON.parse(stdout)).toEqual({
    own: true,
    map: true,
    problems: [
      { file: 'bad/enum.ts', message: expect.stringContaining('enum'), line: 1, column: 1 },
      { file: 'bad/syntax.js', message: expect.stringContaining('Unexpected'), line: 1, column: 17 },
    ],
  });
});
