import { afterEach, describe, expect, it } from 'vitest';
import { formatFlow, parse } from '#engine/check';
import { runCli } from '../program.ts';
import {
  flowText,
  greeting,
  http,
  map,
  type TempProject,
  template,
  tempProject,
} from '../testing/temp-project.ts';
import { testIo } from '../testing/test-io.ts';

let project: TempProject | undefined;
afterEach(() => {
  project?.remove();
  project = undefined;
});

async function check(files: Readonly<Record<string, string>>, ...args: string[]) {
  project ??= tempProject();
  for (const [name, text] of Object.entries(files)) project.write(name, text);
  const io = testIo(project.folder);
  const code = await runCli(['check', ...args], io);
  return { code, lines: io.stdout.text.trimEnd().split('\n'), out: io.stdout.text, err: io.stderr.text };
}

describe('weft check', () => {
  it('reports no problems and exits with 0', async () => {
    const { code, out, err } = await check({ 'flows/a.json': greeting('a') }, 'flows');
    expect({ code, out, err }).toEqual({ code: 0, out: 'No problems in 1 file.\n', err: '' });
  });

  it('prints a problem as file:line:column severity code message, in the order of the file, with its fix', async () => {
    const text = greeting('a')
      .replace('text.template', 'text.templat')
      .replace('"request.out"', '"requst.out"');
    const { code, lines } = await check({ 'flows/a.json': text }, 'flows/a.json');
    expect(code).toBe(1);
    const at = (part: string): number => text.slice(0, text.indexOf(part)).split('\n').length;
    const unknown = lines.findIndex((line) => line.includes('unknown-operator'));
    expect(lines[unknown]).toMatch(
      new RegExp(
        `^flows/a.json:${at('text.templat')}:\\d+ error unknown-operator There is no operator \`text.templat\``,
      ),
    );
    expect(lines[unknown + 1]).toBe('  fix: Use text.template (check --fix)');
    const dangling = lines.findIndex((line) => line.includes('dangling-edge'));
    expect(lines[dangling]).toMatch(
      new RegExp(`^flows/a.json:${at('requst.out')}:\\d+ error dangling-edge .+`),
    );
    expect(dangling).toBeGreaterThan(unknown);
    expect(lines.at(-1)).toMatch(/^2 errors and \d+ warnings? in 1 file\.$/);
  });

  it('names a setting as the file does, where the message has the name of the form, and lists the few that there are', async () => {
    const code = { operator: 'code.run', params: { code: 'return 1;' } };
    const { lines } = await check(
      { 'a.json': flowText('a', { t: http('/a'), code }, ['t > code']) },
      'a.json',
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/error bad-param Code: write the code\. \(params\.source\)$/),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/no setting “code”.* The names are `source`, `language`/),
    );
  });

  it('reports text that is no JSON with the place where it breaks', async () => {
    const { code, lines } = await check({ 'a.json': '{\n  "format": 1,\n  oops\n}' }, 'a.json');
    expect(code).toBe(1);
    expect(lines[0]).toMatch(/^a\.json:3:\d+ error json-syntax /);
  });

  describe('of a flow that uses a secret', () => {
    const ask = {
      operator: 'http.request',
      params: { url: 'https://x.org', auth: { secret: { $secret: 'tokn' } } },
    };
    const files = { 'a.json': flowText('a', { t: http('/a'), ask }, ['t > ask']) };
    const entry = { source: 'file', grants: {}, updatedAt: '2026-01-01T00:00:00.000Z' };
    const value = { iv: '', tag: '', data: '' };

    it('warns where the environment or the data folder has no such secret', async () => {
      project = tempProject();
      const io = testIo(project.folder, { env: { WEFT_SECRET_TOKEN: 'x' } });
      project.write('a.json', files['a.json']);
      expect(await runCli(['check', 'a.json'], io)).toBe(0);
      expect(io.stdout.text).toMatch(
        /^a\.json:\d+:\d+ warning unknown-secret There is no secret `tokn`\. Did you mean `token`\?/m,
      );
      project.write('data/secrets.json', JSON.stringify({ format: 1, secrets: {} }));
      expect((await check(files, 'a.json')).out).toContain(
        'warning unknown-secret There is no secret `tokn`.',
      );
    });

    it('reports nothing where it exists, or if that is unknown', async () => {
      expect((await check(files, 'a.json')).out).not.toContain('unknown-secret');
      project?.write(
        'data/secrets.json',
        JSON.stringify({ format: 1, secrets: { tokn: { ...entry, value } } }),
      );
      expect((await check(files, 'a.json')).out).not.toContain('unknown-secret');
      project?.write('data/secrets.json', 'broken');
      expect((await check(files, 'a.json')).out).not.toContain('unknown-secret');
    });
  });

  it('warns of what a called flow does not take or give', async () => {
    const request = { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } };
    const price = flowText(
      'price',
      { t: { operator: 'trigger.manual', params: { input: request } }, m: map({ cents: 3 }) },
      ['t > m'],
    );
    const call = { operator: 'flow.call', params: { flow: 'price', input: { id: 1 } } };
    const shop = flowText('shop', { t: http('/shop'), call, m: map('{{ input.euros }}') }, [
      't > call',
      'call > m',
    ]);
    const { code, out } = await check({ 'price.json': price, 'shop.json': shop }, 'price.json', 'shop.json');
    expect(code).toBe(0);
    expect(out).toContain('warning type-mismatch The flow `price` needs the field `sku`');
    expect(out).toMatch(
      /shop\.json:\d+:\d+ warning missing-field `input\.euros` never exists: it has cents\./,
    );
  });

  it('exits with 0 when there are warnings only', async () => {
    const nodes = { t: http('/a'), greet: { ...template('hi'), disabled: true } };
    const { code, lines } = await check({ 'a.json': flowText('a', nodes, ['t > greet']) }, 'a.json');
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^a\.json:\d+:\d+ warning disabled-node /);
    expect(lines.at(-1)).toBe('1 warning in 1 file.');
  });

  it('searches folders with their sub-folders and passes over what is no flow, also where a shell names it', async () => {
    const files = {
      'flows/deep/er/b.json': '{',
      'flows/a.json': greeting('a'),
      'flows/a.layout.json': '{}',
      'flows/.drafts/a.json': '{',
      'flows/readme.md': '',
    };
    const { lines } = await check(files, 'flows', 'flows/a.json', 'flows/a.layout.json');
    expect(lines[0]).toMatch(/^flows\/deep\/er\/b\.json:1:/);
    expect(lines.at(-1)).toMatch(/ in 2 files\.$/);
  });

  it.each([
    ['a file that is not there', ['gone.json'], 'There is no file or folder gone.json.'],
    ['a folder without flows', ['.'], 'There are no flow files in `.`.'],
    ['a file of another kind', ['notes.txt'], 'notes.txt is not a flow file: its name must end in .json.'],
    ['no file at all', [], "missing required argument 'files'"],
  ])('exits with 2 for %s', async (_what, args, message) => {
    const { code, out, err } = await check({ 'notes.txt': '' }, ...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(out).toBe('');
  });

  it('reports a path and method that two files want, in both, whatever their params are called', async () => {
    const files = {
      'a.json': greeting('a', { path: '/items/:id' }),
      'b.json': greeting('b', { path: 'items/{key}' }),
      'c.json': greeting('c', { path: '/other' }),
    };
    const { code, lines } = await check(files, '.');
    expect(code).toBe(1);
    expect(lines.filter((line) => line.includes('duplicate-path'))).toEqual([
      expect.stringMatching(/^a\.json:.*flow `b`/),
      expect.stringMatching(/^b\.json:.*flow `a`/),
    ]);
  });

  it('reports files with the same id as the server does: the first serves, the others do not', async () => {
    const { code, lines } = await check({ 'a.json': greeting('a'), 'old/a.json': greeting('a') }, '.');
    expect(code).toBe(1);
    expect(lines[0]).toMatch(/^a\.json:1:1 warning duplicate-flow-id .*only a\.json serves/);
    expect(lines[1]).toMatch(/^old\/a\.json:1:1 error duplicate-flow-id /);
    expect(lines).toHaveLength(3);
  });

  it('names the problems of the second file with an id too', async () => {
    const { lines } = await check({ 'a.json': greeting('a'), 'old/a.json': '{' }, '.');
    expect(lines.filter((line) => line.startsWith('old/a.json')).length).toBeGreaterThan(1);
    expect(lines.join('\n')).toMatch(/old\/a\.json:.* json-syntax /);
  });

  it('reports a file name that cannot be an id', async () => {
    const { code, lines } = await check({ 'My-Flow.json': greeting('a') }, '.');
    expect(code).toBe(1);
    expect(lines[0]).toMatch(/^My-Flow\.json:1:1 error bad-field The file My-Flow\.json cannot be a flow/);
  });

  it('knows variables from the data folder, and reports nothing about them without one', async () => {
    const flow = flowText('a', { t: http('/a'), m: map('{{ vars.city }}') }, ['t > m']);
    expect((await check({ 'flows/a.json': flow }, 'flows')).code).toBe(0);
    const other = JSON.stringify({ keys: [], variables: { town: 'Oslo' } });
    const { code, out } = await check({ 'data/db.json': other }, 'flows');
    expect(code).toBe(1);
    expect(out).toMatch(/error unknown-variable There is no variable `city`/);
    const fitting = JSON.stringify({ keys: [], variables: { city: 'Oslo' } });
    expect((await check({ 'data/db.json': fitting }, 'flows')).code).toBe(0);
  });

  it('exits with 2 when the data folder holds a damaged file', async () => {
    const { code, err } = await check({ 'flows/a.json': greeting('a'), 'data/db.json': '{' }, 'flows');
    expect(code).toBe(2);
    expect(err).toMatch(/db\.json is not valid JSON; correct it/);
  });

  it("knows the project's own operators, and warns of a file there that is none", async () => {
    const operator = `export default ({ defineOperator, input, output, z }) => defineOperator({
      title: 'Shout', doc: 'Shouts.', icon: 'zap', params: z.object({}), inputs: { in: input({}) },
      outputs: { out: output({}) }, effects: 'pure', examples: [], run: ({ input }) => input });`;
    const flow = flowText('a', { t: http('/a'), s: { operator: 'my.shout' } }, ['t > s']);
    const files = {
      'flows/a.json': flow,
      'operators/my/shout.mjs': operator,
      'operators/my/bad.mjs': 'oops(',
    };
    const { code, out, err } = await check(files, 'flows');
    expect(err).toMatch(/^warning: the operator file .*bad\.mjs:1 was skipped: /);
    expect({ code, out }).toEqual({ code: 0, out: 'No problems in 1 file.\n' });
  });

  it('prints all of it as one JSON object with --json', async () => {
    const { code, out } = await check({ 'a.json': greeting('a'), 'b.json': '{' }, '.', '--json');
    expect(code).toBe(1);
    const report = JSON.parse(out) as { errors: number; problems: unknown[] };
    expect(report).toMatchObject({ files: 2, warnings: 0, fixed: [] });
    expect(report.errors).toBe(report.problems.length);
    expect(report.problems[0]).toMatchObject({
      file: 'b.json',
      code: 'json-syntax',
      severity: 'error',
      line: 1,
      message: expect.any(String) as string,
    });
  });
});

describe('weft check --fix', () => {
  const twice = JSON.stringify({
    format: 1,
    id: 'a',
    nodes: { t: http('/a'), m: { ...map('{{ input }}'), operator: 'core.mop' } },
    edges: [
      { from: 't.out', to: 'm.in' },
      { from: 't.out', to: 'm.in' },
      { from: 'gone.out', to: 'm.in' },
    ],
  });

  it('mends errors one after the other, writes the canonical text, and reports what is left', async () => {
    const { code, lines } = await check({ 'a.json': twice }, 'a.json', '--fix');
    expect({ code, last: lines.at(-1) }).toEqual({
      code: 0,
      last: '3 problems fixed. No problems in 1 file.',
    });
    expect(lines.filter((line) => line.startsWith('a.json: fixed: '))).toHaveLength(3);
    const text = project?.read('a.json') ?? '';
    const { flow } = parse(text);
    expect(flow?.edges).toEqual([{ from: 't.out', to: 'm.in' }]);
    expect(flow?.nodes['m']?.operator).toBe('core.map');
    expect(text).toBe(flow && formatFlow(flow));
  });

  it('names the fixes with --json', async () => {
    const { out } = await check({ 'a.json': twice }, 'a.json', '--fix', '--json');
    expect(JSON.parse(out)).toMatchObject({ errors: 0, fixed: [{ file: 'a.json', fixes: { length: 3 } }] });
  });

  it('leaves a file as it is when nothing in it can be mended', async () => {
    const untidy = `${JSON.stringify(JSON.parse(greeting('a')))}\n`;
    const { code, out } = await check({ 'a.json': untidy, 'b.json': '{ "format": 1,' }, '.', '--fix');
    expect(code).toBe(1);
    expect(out).not.toContain('fixed');
    expect(project?.read('a.json')).toBe(untidy);
    expect(project?.read('b.json')).toBe('{ "format": 1,');
  });

  it('does not touch what is only a warning, since it may be meant', async () => {
    const nodes = { t: http('/a'), greet: { ...template('hi'), disabled: true } };
    const text = flowText('a', nodes, ['t > greet']);
    const { code, lines } = await check({ 'a.json': text }, 'a.json', '--fix');
    expect(code).toBe(0);
    expect(lines[1]).toBe('  fix: Enable the node');
    expect(project?.read('a.json')).toBe(text);
  });
});
