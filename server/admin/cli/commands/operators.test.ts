import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from '../../../../tests/support/server.ts';
import { runProgram } from '../../../../tests/support/process.ts';
import { runCli } from '../program.ts';
import { type TempProject, tempProject } from '../testing/temp-project.ts';
import { testIo } from '../testing/test-io.ts';

let project: TempProject;

beforeEach(() => {
  project = tempProject();
});

afterEach(() => project.remove());

async function weft(...args: string[]) {
  const io = testIo(project.folder);
  const code = await runCli(args, io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

test('a new operator fulfils the contract unchanged, and is available to flows', async () => {
  expect(await weft('new', 'operator', 'voice.say-again')).toMatchObject({
    code: 0,
    out: expect.stringContaining(
      'wrote operators/voice/say-again.ts\nwrote operators/voice/say-again.test.ts',
    ),
  });
  const checked = await weft('operators', '--json');
  expect(JSON.parse(checked.out)).toMatchObject({
    operators: [{ type: 'voice.say-again', file: 'operators/voice/say-again.ts' }],
  });
  expect(checked.out).not.toContain('instead');
  expect(checked.code).toBe(0);
  project.write(
    'flows/again.json',
    JSON.stringify({
      format: 1,
      id: 'again',
      nodes: { t: { operator: 'trigger.manual' }, a: { operator: 'voice.say-again' } },
      edges: [{ from: 't.out', to: 'a.in' }],
    }),
  );
  expect(await weft('run', 'again', '--input', '"ho"')).toMatchObject({ code: 0, out: '"hoho"\n' });
});

test("a new operator's test passes on Node's own runner", async () => {
  const folder = `${root}/.cache/new-operator-${process.pid}`;
  try {
    const io = testIo(root, { env: { WEFT_OPERATORS: folder } });
    expect(await runCli(['new', 'operator', 'voice.say'], io)).toBe(0);
    const args = ['--test', `${folder}/voice/say.test.ts`];
    const { code, stdout } = await runProgram(process.execPath, args, { timeout: 60_000 });
    expect(stdout).toContain('keeps the contract');
    expect(code).toBe(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('an existing file is never overwritten', async () => {
  project.write('operators/voice/say.ts', 'mine');
  expect(await weft('new', 'operator', 'voice.say')).toMatchObject({
    code: 2,
    err: expect.stringContaining('operators/voice/say.ts already exists'),
  });
  expect(project.read('operators/voice/say.ts')).toBe('mine');
  expect(project.has('operators/voice/say.test.ts')).toBe(false);
});

test.each(['say', 'Voice.say', '../voice.say', 'a.b.c'])('%s is no name for an operator', async (type) => {
  expect(await weft('new', 'operator', type)).toMatchObject({
    code: 2,
    err: expect.stringContaining('group.name'),
  });
});

test('an operator that breaks the contract, or does not load, is reported with its place', async () => {
  project.write('operators/bad/syntax.ts', 'export default {\n  a: ;\n};\n');
  project.write('operators/bad/ends.ts', 'process.exit(3);\n');
  project.write('operators/core/map.ts', 'export default 1;\n');
  project.write('operators/top.ts', 'export default 1;\n');
  project.write(
    'operators/bad/lies.ts',
    `import { defineOperator, input, output, z } from '#weft';
    export default defineOperator({ title: 'Lies', doc: 'Lies.', icon: 'x', params: z.object({}), effects: 'pure',
      inputs: { in: input({ doc: 'Any.' }) }, outputs: { out: output({ doc: 'One.' }) },
      examples: [{ title: 'Two', inputs: { in: 1 }, outputs: { out: 2 } }], run: () => 1 });`,
  );
  const { code, out } = await weft('operators');
  expect(code).toBe(1);
  expect(out).toMatch(/operators\/bad\/syntax\.ts:2:\d+: Expression expected/);
  expect(out).toContain('ended the process (exit code 3)');
  expect(out).toContain('The name core.map is taken');
  expect(out).toContain('It must be in a folder');
  expect(out).toContain('keeps its example: Two\n    It must give {"out":2}, but gave {"out":1}.');
  expect(out).toContain('5 operators, 5 broken.');
});

test('a missing operator is reported, and so is an empty folder', async () => {
  expect(await weft('operators', 'a.b')).toMatchObject({
    code: 2,
    err: expect.stringContaining('no operator a.b'),
  });
  expect(await weft('operators')).toMatchObject({
    code: 0,
    out: expect.stringContaining('weft new operator'),
  });
});
