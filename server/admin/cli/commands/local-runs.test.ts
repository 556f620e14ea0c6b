import { mkdirSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { runCli } from '../program.ts';
import { type DevServer, startDev } from '../testing/dev-server.ts';
import { flowText, http, map, type TempProject, tempProject } from '../testing/temp-project.ts';
import { testIo } from '../testing/test-io.ts';

let project: TempProject;
let dev: DevServer | undefined;

afterEach(async () => {
  await dev?.stop();
  dev = undefined;
  project.remove();
});

const manual = { operator: 'trigger.manual' };
const call = (flow: string) => ({ operator: 'flow.call', params: { flow } });
const double = flowText('double', { m: map('{{ input * 2 }}'), t: manual }, ['t > m']);
const noted = { n: { operator: 'core.log', params: { message: 'doubling {{ input }}' } }, t: manual };
const counter = flowText(
  'counter',
  { c: { operator: 'state.add', params: { key: 'n' } }, t: http('/count', { methods: ['POST'] }) },
  ['t > c'],
);

async function run(...args: readonly string[]) {
  const io = testIo(project.folder);
  const code = await runCli(['run', ...args], io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

describe('weft run', () => {
  it('finds called flows in the flows folder and beside the file, and prints their logs', async () => {
    const caller = flowText('a', { c: call('far'), d: call('near'), t: manual }, ['t > c', 'c > d']);
    project = tempProject({
      'mine/a.json': caller,
      'mine/near.json': flowText('near', { ...noted, m: map('{{ input + 1 }}') }, ['t > n', 'n > m']),
      'flows/deep/far.json': double.replace('"double"', '"far"'),
    });
    expect(await run('mine/a.json', '--input', '20')).toEqual({
      code: 0,
      out: '41\n',
      err: expect.stringContaining('doubling 40'),
    });
  });

  it('reports that a called flow does not exist, or has errors', async () => {
    const broken = flowText('broken', { m: { operator: 'core.mop' }, t: manual }, ['t > m']);
    project = tempProject({
      'flows/a.json': flowText('a', { c: call('gone'), t: manual }, ['t > c']),
      'flows/b.json': flowText('b', { c: call('broken'), t: manual }, ['t > c']),
      'flows/broken.json': broken,
    });
    expect(await run('a')).toMatchObject({ code: 1, err: expect.stringContaining('sub_flow_missing') });
    expect(await run('b')).toMatchObject({ code: 1, err: expect.stringContaining('sub_flow_missing') });
  });

  it('runs a flow once for each item where its trigger is one for that', async () => {
    const nodes = { m: map('{{ input * 2 }}'), t: { operator: 'trigger.iterate' } };
    project = tempProject({ 'flows/each.json': flowText('each', nodes, ['t > m']) });
    const { code, out } = await run('each', '--input', '[1,2]');
    expect([code, JSON.parse(out)]).toEqual([
      0,
      [
        { input: 1, output: 2 },
        { input: 2, output: 4 },
      ],
    ]);
    expect(await run('each', '--input', '5')).toMatchObject({ code: 0, out: expect.stringContaining('10') });
  });

  it('keeps state in the data folder where there is one, and forgets it otherwise', async () => {
    project = tempProject({ 'flows/counter.json': counter });
    expect([(await run('counter')).out, (await run('counter')).out]).toEqual(['1\n', '1\n']);
    expect(project.has('data')).toBe(false);
    mkdirSync(project.path('data'));
    expect([(await run('counter')).out, (await run('counter')).out]).toEqual(['1\n', '2\n']);
  });
});

describe('weft dev', () => {
  it('lets the flows that it serves call each other, as they are after a save, and keeps state between requests', async () => {
    const caller = flowText('a', { c: call('double'), t: http('/a', { methods: ['POST'] }) }, ['t > c']);
    project = tempProject({ 'a.json': caller, 'double.json': double, 'counter.json': counter });
    dev = await startDev(project, ['a.json', 'double.json', 'counter.json']);
    const post = async (path: string, body: unknown) => {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      };
      return (await dev?.call(path, init))?.json();
    };
    expect(await post('/a', 21)).toBe(42);
    project.write('double.json', double.replace('* 2', '* 3'));
    await expect.poll(() => post('/a', 21)).toBe(63);
    expect([await post('/count', {}), await post('/count', {})]).toEqual([1, 2]);
  });
});
