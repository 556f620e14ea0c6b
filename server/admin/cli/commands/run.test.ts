import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
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

let project: TempProject;
afterEach(() => project.remove());

const manual = { operator: 'trigger.manual' };

async function run(
  files: Readonly<Record<string, string>>,
  args: readonly string[],
  more: { stdin?: string; env?: Record<string, string> } = {},
) {
  project = tempProject(files);
  const io = testIo(project.folder, more);
  const code = await runCli(['run', ...args], io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

describe('weft run', () => {
  it("prints the answer's JSON, with the defaults of the request schema filled in", async () => {
    const request = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, age: { type: 'integer', default: 18 } },
    };
    const nodes = {
      t: http('/a', { request }),
      m: map('{{ { name: input.name, age: trigger.query.age } }}'),
    };
    const files = { 'flows/a.json': flowText('a', nodes, ['t > m']) };
    const result = await run(files, ['a', '--input', '{"name":"Ada"}']);
    expect(result).toEqual({ code: 0, out: '{\n  "name": "Ada",\n  "age": 18\n}\n', err: '' });
  });

  it('refuses an input that the request schema refuses, with the code that a caller would get', async () => {
    const result = await run({ 'flows/a.json': greeting('a') }, ['a', '--input', '{"name":1}']);
    expect(result).toMatchObject({ code: 1, out: '' });
    expect(result.err).toMatch(/^error invalid_request: body\.name: Input should be a valid string\n$/);
  });

  it('gives an input to a manual trigger as it is', async () => {
    const files = { 'x.json': flowText('x', { m: map('{{ input + 1 }}'), t: manual }, ['t > m']) };
    expect(await run(files, ['x.json', '--input', '41'])).toEqual({ code: 0, out: '42\n', err: '' });
  });

  it('reads path params from the input, as the text that a path carries', async () => {
    const request = { type: 'object', required: ['id'], properties: { id: { type: 'integer', default: 1 } } };
    const nodes = { m: map('{{ [input.id, trigger.params.id] }}'), t: http('/items/:id', { request }) };
    const files = { 'a.json': flowText('a', nodes, ['t > m']) };
    const { out } = await run(files, ['a.json', '--input', '{"id":7}', '--json']);
    expect(JSON.parse(out)).toMatchObject({ answer: { body: [7, '7'] } });
  });

  it('reads the input from standard input or a file', async () => {
    const files = { 'flows/a.json': greeting('a'), 'in.json': '{"name":"File"}' };
    expect((await run(files, ['a', '--input', '-'], { stdin: '{"name":"Pipe"}' })).out).toBe(
      '"Hello, Pipe"\n',
    );
    project.remove();
    expect((await run(files, ['a', '--input', '@in.json'])).out).toBe('"Hello, File"\n');
  });

  it('exits with 1 and the coded error of the node when the run fails', async () => {
    const files = { 'a.json': flowText('a', { m: map('{{ input.gone }}'), t: manual }, ['t > m']) };
    const result = await run(files, ['a.json']);
    expect(result).toMatchObject({ code: 1, out: '' });
    expect(result.err).toMatch(/^error missing_field at m: /);
  });

  it('exits with 1 when the run fails after it has answered, and prints the answer all the same', async () => {
    const nodes = {
      answer: { operator: 'core.respond', params: { body: 'done' } },
      fails: map('{{ input.gone }}'),
      t: manual,
      wait: { operator: 'logic.delay', params: { ms: 1 } },
    };
    const files = { 'a.json': flowText('a', nodes, ['t > answer', 't > wait', 'wait > fails']) };
    const result = await run(files, ['a.json']);
    expect(result).toMatchObject({ code: 1, out: '"done"\n' });
    expect(result.err).toMatch(/^error missing_field at fails: /);
  });

  it('collects a stream, and reports a missing answer', async () => {
    const nodes = { s: { operator: 'core.streamify' }, t: manual };
    const stream = { 'a.json': flowText('a', nodes, ['t > s']) };
    expect((await run(stream, ['a.json', '--input', '[1,2]', '--json'])).out).toContain(
      '"body": [\n      1,\n      2\n',
    );
    project.remove();
    const log = { operator: 'core.log', params: { message: 'seen {{ input.n }}' } };
    const silent = { 'a.json': flowText('a', { l: log, t: manual }, ['t > l']) };
    expect(await run(silent, ['a.json', '--input', '{"n":3}'])).toEqual({
      code: 0,
      out: '',
      err: 'info l: seen 3\nThe run returned no answer (204).\n',
    });
  });

  it('prints all events on standard error with --events, as text or as JSON lines', async () => {
    const files = { 'flows/a.json': greeting('a') };
    const args = ['a', '--input', '{"name":"Ada"}', '--events'];
    const text = await run(files, args);
    expect(text.out).toBe('"Hello, Ada"\n');
    expect(text.err).toMatch(/^ +0 ms {2}run-started \w+ of a at request\n/);
    expect(text.err).toMatch(/ms {2}node-output greet\.out "Hello, Ada"\n/);
    project.remove();
    const json = await run(files, [...args, '--json']);
    const events = json.err
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string });
    expect(events[0]?.kind).toBe('run-started');
    expect(events.at(-1)?.kind).toBe('run-finished');
    expect(JSON.parse(json.out)).toMatchObject({
      status: 'ok',
      answer: { kind: 'value', body: 'Hello, Ada' },
    });
  });

  it('reads variables from the data folder and the command line, without writing anything', async () => {
    const db = JSON.stringify({ keys: [], variables: { greeting: 'Hi', mark: '!' } });
    const flow = flowText('a', { g: template('{{ vars.greeting }}{{ vars.mark }}'), t: manual }, ['t > g']);
    const files = { 'a.json': flow, 'kept/db.json': db };
    const env = { WEFT_DATA: 'kept' };
    expect((await run(files, ['a.json'], { env })).out).toBe('"Hi!"\n');
    project.remove();
    expect((await run(files, ['a.json', '--var', 'mark="?"'], { env })).out).toBe('"Hi?"\n');
    expect(project.read('kept/db.json')).toBe(db);
    project.remove();
    expect((await run({ 'a.json': flow }, ['a.json'])).err).toMatch(/error unknown-variable /);
    expect(project.has('data')).toBe(false);
  });

  it('prints the problems of a flow with errors instead of running it', async () => {
    const files = { 'flows/a.json': greeting('a').replace('text.template', 'text.nothing') };
    const result = await run(files, ['a']);
    expect(result).toMatchObject({ code: 1, out: '' });
    expect(result.err).toMatch(/^flows\/a\.json:\d+:\d+ error unknown-operator /m);
  });

  it('starts at the named trigger where there are several', async () => {
    const nodes = { a: map('1'), b: map('2'), first: manual, second: manual };
    const files = { 'a.json': flowText('a', nodes, ['first > a', 'second > b']) };
    expect((await run(files, ['a.json', '--trigger', 'second'])).out).toBe('"2"\n');
    project.remove();
    const result = await run(files, ['a.json']);
    expect(result.code).toBe(2);
    expect(result.err).toMatch(/^error: --trigger: .*`first`, `second`/);
  });

  it('stops the run when it is asked to', async () => {
    const nodes = { t: manual, wait: { operator: 'logic.delay', params: { ms: 3_600_000 } } };
    project = tempProject({ 'a.json': flowText('a', nodes, ['t > wait']) });
    const io = testIo(project.folder);
    const ended = runCli(['run', 'a.json', '--events'], io);
    await io.stderr.next(/node-started wait/);
    io.stop();
    expect(await ended).toBe(1);
    expect(io.stderr.text).toMatch(/The run was stopped\.\nerror run_cancelled/);
  });

  it.each([
    [
      'a flow that is not there, naming the nearest',
      ['gret'],
      /There is no flow gret in flows\. Did you mean greet\?/,
    ],
    ['a file that is not there', ['gone.json'], /There is no file or folder gone\.json/],
    ['an input that is no JSON', ['greet', '--input', '{oops'], /--input: the value cannot be read as JSON/],
    ['an input file that is not there', ['greet', '--input', '@no'], /--input: no cannot be read \(ENOENT\)/],
    ['a variable without a value', ['greet', '--var', 'x'], /--var x: write name=json/],
    ['a variable whose value is no JSON', ['greet', '--var', 'x=Oslo'], /a text needs quotes/],
  ])('exits with 2 for %s', async (_what, args, message) => {
    const result = await run({ 'flows/greet.json': greeting('greet') }, args);
    expect(result).toMatchObject({ code: 2, out: '' });
    expect(result.err).toMatch(message);
  });

  it('sends requests through the guarded client, with secrets of the environment, which are not shown', async () => {
    const site = createServer((request, response) => {
      response.end(`got ${request.headers.authorization}`);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(site.address() as AddressInfo).port}`;
    const auth = { type: 'bearer', secret: { $secret: 'token' } };
    const nodes = {
      t: manual,
      ask: { operator: 'http.request', params: { url: `http://${address}/`, auth, response: 'text' } },
      print: { operator: 'core.log', params: { message: 'it said {{ input }}' } },
      end: map('done'),
    };
    const edges = ['t > ask', 'ask.body > print', 'print > end'];
    const files = { 'flows/a.json': flowText('a', nodes, edges) };
    const env = { WEFT_SECRET_TOKEN: 'the-token-itself', WEFT_OUTBOUND_ALLOW: address };
    try {
      const result = await run(files, ['a'], { env });
      expect(result).toMatchObject({ code: 0, out: '"done"\n' });
      expect(result.err).toContain('it said got Bearer ***');
      project.remove();
      expect(await run(files, ['a'], { env: { WEFT_SECRET_TOKEN: 'x' } })).toMatchObject({
        code: 1,
        err: expect.stringContaining('outbound_refused'),
      });
      project.remove();
      expect(await run(files, ['a'], { env: { WEFT_OUTBOUND_ALLOW: address } })).toMatchObject({
        code: 1,
        err: expect.stringContaining('set WEFT_SECRET_TOKEN'),
      });
    } finally {
      site.close();
      site.closeAllConnections();
    }
  });
});
