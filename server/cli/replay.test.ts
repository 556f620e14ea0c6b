import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCli } from './program.ts';
import { flowText, map, type TempProject, tempProject } from './testing/temp-project.ts';
import { testIo } from './testing/test-io.ts';

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

const dice = `import { flow } from '#weft';
export default flow('dice', (f) => {
  const t = f.trigger.manual();
  const rolled = t.map(async function roll() {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return Math.random();
  });
  return f.join({ rolled, at: t.map((_, call) => Date.now() + call.random()) });
});
`;

test('a recorded run that rolled dice replays to the same events', async () => {
  project.write('flows/dice.ts', dice);
  expect(await weft('run', 'dice', '--record', 'run.json')).toMatchObject({ code: 0 });
  expect(await weft('replay', 'run.json')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^The same \d+ events\.\n$/),
  });
  expect(JSON.parse((await weft('replay', 'run.json', '--json')).out)).toMatchObject({
    same: true,
    sameVersion: true,
  });
});

test('a changed flow is told by its first event that differs', async () => {
  const text = (value: string) =>
    flowText('sum', { t: { operator: 'trigger.manual' }, m: map(value) }, ['t > m']);
  project.write('flows/sum.json', text('{{ input.a + 1 }}'));
  await weft('run', 'sum', '--input', '{"a":1}', '--record', 'run.json');
  project.write('flows/sum.json', text('{{ input.a + 2 }}'));
  const { code, out, err } = await weft('replay', 'run.json');
  expect(code).toBe(1);
  expect(err).toContain('not of the version');
  expect(out).toMatch(/recorded:.*m\.out 2\nreplayed:.*m\.out 3/);
});

test('the result of a run says what became of nodes with a cache', async () => {
  const node = { ...map('{{ input }}'), cache: {} };
  project.write(
    'flows/kept.json',
    flowText('kept', { t: { operator: 'trigger.manual' }, m: node }, ['t > m']),
  );
  const { out } = await weft('run', 'kept', '--json');
  expect(JSON.parse(out)).toMatchObject({ cache: { m: { hit: false, reason: 'first-time' } } });
});

test.each([
  ['{"format":2}', 'no record of a run'],
  ['no JSON', 'no record of a run'],
  [undefined, 'cannot be read (ENOENT)'],
])('the file %j is refused', async (text, message) => {
  if (text !== undefined) project.write('bad.json', text);
  expect(await weft('replay', 'bad.json')).toMatchObject({ code: 2, err: expect.stringContaining(message) });
});
