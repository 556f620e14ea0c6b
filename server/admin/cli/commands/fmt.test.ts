import { lstatSync, readdirSync, symlinkSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { root } from '../../../../tests/support/server.ts';
import { runCli } from '../program.ts';
import { greeting, type TempProject, tempProject } from '../testing/temp-project.ts';
import { testIo } from '../testing/test-io.ts';

let project: TempProject;
afterEach(() => project.remove());

const canonical = greeting('a');
const untidy = JSON.stringify(JSON.parse(canonical));
const broken = '{ "format": 1, "id": "c" ';

async function fmt(...args: string[]) {
  const io = testIo(project.folder);
  const code = await runCli(['fmt', ...args], io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

describe('weft fmt', () => {
  it('makes files canonical, and a second time changes nothing', async () => {
    project = tempProject({ 'flows/a.json': untidy, 'flows/x/b.json': greeting('b') });
    expect(await fmt('flows')).toEqual({ code: 0, out: 'flows/a.json\n1 of 2 files formatted.\n', err: '' });
    expect(project.read('flows/a.json')).toBe(canonical);
    expect(await fmt('flows')).toEqual({ code: 0, out: '0 of 2 files formatted.\n', err: '' });
    expect(readdirSync(project.path('flows')).sort()).toEqual(['a.json', 'x']);
  });

  it('writes an older format as a newer one where that is wanted', async () => {
    const looped = greeting('b').replace(
      '"operator": "text.template"',
      '"each": {}, "operator": "text.template"',
    );
    project = tempProject({ 'a.json': untidy, 'b.json': looped });
    expect((await fmt('b.json')).code).toBe(1);
    expect(await fmt('.', '--format', '2')).toMatchObject({
      code: 0,
      out: expect.stringContaining('2 of 2'),
    });
    for (const file of ['a.json', 'b.json']) expect(project.read(file)).toContain('"format": 2');
    expect((await fmt('.')).out).toBe('0 of 2 files formatted.\n');
    expect((await fmt('.', '--format', '3')).code).toBe(2);
  });

  it('changes no shipped example', async () => {
    const io = testIo(root);
    const code = await runCli(['fmt', '--check', 'flows'], io);
    expect({ code, out: io.stdout.text }).toEqual({
      code: 0,
      out: expect.stringMatching(/^0 of \d+ files not canonical\.\n$/),
    });
  });

  it('reports a file that does not parse, leaves it as it is, and formats the others', async () => {
    project = tempProject({ 'a.json': untidy, 'c.json': broken });
    const { code, out } = await fmt('.');
    expect(code).toBe(1);
    expect(out).toMatch(
      /^a\.json\nc\.json:1:\d+ error json-syntax .*\n1 of 2 files formatted, 1 left as it is\.\n$/,
    );
    expect(project.read('c.json')).toBe(broken);
    expect(project.read('a.json')).toBe(canonical);
  });

  it('formats a flow that has problems but parses', async () => {
    project = tempProject({ 'a.json': untidy.replace('text.template', 'no.such') });
    expect((await fmt('a.json')).code).toBe(0);
    expect(project.read('a.json')).toBe(canonical.replace('text.template', 'no.such'));
  });

  it('takes a byte order mark away', async () => {
    project = tempProject({ 'a.json': `\uFEFF${canonical}` });
    expect((await fmt('a.json')).out).toBe('a.json\n1 of 1 file formatted.\n');
    expect(project.read('a.json')).toBe(canonical);
  });

  it('writes through a link and leaves it a link', async () => {
    project = tempProject({ 'real/a.json': untidy });
    symlinkSync(project.path('real/a.json'), project.path('a.json'));
    expect((await fmt('a.json')).code).toBe(0);
    expect(lstatSync(project.path('a.json')).isSymbolicLink()).toBe(true);
    expect(project.read('real/a.json')).toBe(canonical);
  });

  it('with --check writes nothing and exits with 1 when a file is not canonical', async () => {
    project = tempProject({ 'a.json': untidy, 'b.json': greeting('b') });
    expect(await fmt('.', '--check')).toMatchObject({
      code: 1,
      out: 'a.json is not canonical\n1 of 2 files not canonical.\n',
    });
    expect(project.read('a.json')).toBe(untidy);
    expect((await fmt('b.json', '--check')).code).toBe(0);
  });

  it('prints the state of each file with --json', async () => {
    project = tempProject({ 'a.json': untidy, 'b.json': greeting('b'), 'c.json': broken });
    const { code, out } = await fmt('.', '--json');
    expect(code).toBe(1);
    const report = JSON.parse(out) as { files: unknown; problems: unknown[] };
    expect(report.files).toEqual([
      { file: 'a.json', state: 'changed' },
      { file: 'b.json', state: 'unchanged' },
      { file: 'c.json', state: 'broken' },
    ]);
    expect(report.problems[0]).toMatchObject({ file: 'c.json', code: 'json-syntax' });
  });
});
