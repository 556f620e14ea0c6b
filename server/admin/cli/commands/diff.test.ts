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

const start = { operator: 'trigger.manual' };

test('differences are shown in the terms of a flow', async () => {
  project.write(
    'flows/a.json',
    flowText('a', { start, one: map('{{ input }}'), old: map('x') }, ['start > one', 'one > old']),
  );
  project.write(
    'flows/b.json',
    flowText('b', { start, one: map('{{ input + 1 }}'), fresh: start }, ['start > one']),
  );
  expect(await weft('diff', 'a', 'flows/b.json')).toEqual({
    code: 1,
    out: [
      '- node old (core.map): x',
      '~ one params.value: "{{ input }}" → "{{ input + 1 }}"',
      '+ node fresh (trigger.manual): started by hand',
      '- edge one.out > old.in',
      '',
    ].join('\n'),
    err: '',
  });
  expect(await weft('diff', 'a', 'a')).toMatchObject({ code: 0, out: '' });
  const { out } = await weft('diff', 'a', 'b', '--json');
  expect(JSON.parse(out).changes).toHaveLength(4);
});

test('a version that went live is found in the data folder', async () => {
  const version = '0123456789abcdef';
  project.write(`data/versions/a/${version}.json`, flowText('a', { start }, []));
  project.write('flows/a.json', flowText('a', { start, one: map('1') }, ['start > one']));
  expect(await weft('diff', `a@${version}`, 'a')).toMatchObject({
    code: 1,
    out: '+ node one (core.map): 1\n+ edge start.out > one.in\n',
  });
  expect(await weft('diff', 'a@ffffffffffffffff', 'a')).toMatchObject({ code: 2 });
  expect(await weft('diff', 'nothing', 'a')).toMatchObject({ code: 2 });
});
