import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCli } from '../program.ts';
import { flowText, map, type TempProject, tempProject } from '../testing/temp-project.ts';
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

const request = {
  type: 'object',
  required: ['n'],
  properties: {
    n: { type: 'integer', minimum: 0, maximum: 500 },
    list: { type: 'array', items: { type: 'integer' } },
  },
};

function write(value: string): void {
  const start = {
    operator: 'trigger.http',
    params: { path: '/sum', methods: ['POST'], auth: 'none', request },
  };
  project.write('flows/sum.json', flowText('sum', { start, sum: map(value) }, ['start > sum']));
}

test('an input that a flow fails with is shrunk, reported and kept as a test', async () => {
  write('{{ input.list[0] + 1 }}');
  const { code, out } = await weft('test', '--generate', '60', '--keep');
  expect(code).toBe(1);
  expect(out).toContain('✗ sum: 60 inputs');
  expect(out).toContain('{"n":0}');
  expect(out).toContain('kept: ');
  expect((await weft('test')).code).toBe(1);
  // Twice the same are not kept twice.
  expect((await weft('test', '--generate', '60', '--keep')).out).not.toContain('kept');
  write('{{ input.n + 1 }}');
  expect((await weft('test')).out).toContain('0 failed');
});

test('a flow without a failure passes; what is asked for wrongly is refused', async () => {
  write('{{ input.n * 2 }}');
  const good = await weft('test', '--generate', '--holds', 'answer == input.n * 2', '--wrong', '--seed', '4');
  expect(good).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^✓ sum: 100 inputs, \d+ of them refused by the trigger, 2 of 2 nodes reached, seed 4\n$/,
    ),
  });
  expect(await weft('test', '--generate', '--holds', 'answer <')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--holds'),
  });
  expect(await weft('test', '--generate', '--matches', 'nowhere.json')).toMatchObject({ code: 2 });
  expect(await weft('test', '--generate', '99999')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--generate'),
  });
  project.write('schema.json', '{"type":"integer","maximum":100}');
  const wrong = await weft('test', '--generate', '--matches', 'schema.json', '--json');
  expect(JSON.parse(wrong.out)).toMatchObject({ flows: [{ flow: 'sum', failures: [{ sent: { n: 51 } }] }] });
});
