import { afterEach, describe, expect, it } from 'vitest';
import { createPins } from '../../../execution/starts/partial/pins.ts';
import { createSqlState } from '../../../execution/state/sql-state.ts';
import { openWeftSql } from '../../../storage/database/weft-tables.ts';
import { runCli } from '../program.ts';
import { flowText, type TempProject, template, tempProject } from '../testing/temp-project.ts';
import { testIo } from '../testing/test-io.ts';

/** `weft run` in part, and `weft fork`, without a server. */
let project: TempProject;
afterEach(() => project.remove());

/** start > first > second > third; the output of each names its input. */
const steps = (second = '{{ input }}-second') =>
  flowText(
    'steps',
    {
      start: { operator: 'trigger.manual' },
      first: template('{{ input.name }}-first'),
      second: template(second),
      third: template('{{ input }}-third'),
    },
    ['start > first', 'first > second', 'second > third'],
  );

async function weft(...args: string[]) {
  const io = testIo(project.folder, {});
  const code = await runCli(args, io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

/** A project in which the flow has run once, with a record of it. */
async function withRecord(): Promise<void> {
  project = tempProject({ 'flows/steps.json': steps() });
  const first = await weft('run', 'steps', '--input', '{"name":"Ada"}', '--record', 'first.json');
  expect(first).toMatchObject({ code: 0, out: '"Ada-first-second-third"\n' });
}

interface PartResult {
  readonly status: string;
  readonly answer: { readonly body: string };
  readonly decisions: readonly { node: string; does: string; reason: string }[];
}

async function weftJson(...args: string[]): Promise<PartResult> {
  const { out } = await weft(...args, '--json');
  return JSON.parse(out) as PartResult;
}

const does = ({ decisions }: PartResult) => Object.fromEntries(decisions.map((one) => [one.node, one.does]));

describe('weft run in part', () => {
  it('runs from a node on with the outputs of a recorded run, and prints what became of each node', async () => {
    await withRecord();
    const part = await weft('run', 'steps', '--from', 'third', '--reuse', 'first.json');
    expect(part).toMatchObject({ code: 0, out: '"Ada-first-second-third"\n' });
    expect(part.err).toMatch(/^Outputs of the run \S+ are used\.$/m);
    expect(part.err).toMatch(/^ {2}second {2}reused {4}Its output of the earlier run is reused\.$/m);
    expect(part.err).toMatch(/^ {2}third {3}run {7}It was requested\.$/m);
  });

  it('runs one node alone, with what it needs, where there is no earlier run', async () => {
    project = tempProject({ 'flows/steps.json': steps() });
    const part = await weftJson('run', 'steps', '--only', 'second', '--input', '{"name":"Bo"}');
    expect(part.status).toBe('ok');
    expect(does(part)).toEqual({ start: 'run', first: 'run', second: 'run', third: 'left-out' });
  });

  it('goes on with an output that is given, and refuses one that is no output', async () => {
    await withRecord();
    const forked = await weftJson('fork', 'first.json', '--output', 'second.out="mine"');
    expect(forked.answer.body).toBe('mine-third');
    expect(does(forked)).toMatchObject({ first: 'reused', second: 'changed', third: 'run' });
    expect(await weft('run', 'steps', '--output', 'second="mine"')).toMatchObject({ code: 2 });
    expect((await weft('run', 'steps', '--output', 'second.out=mine')).err).toContain('is not JSON');
    expect((await weft('run', 'steps', '--output', 'second.gone=1')).err).toContain('has no output gone');
  });

  it('runs a node again that was changed since, with the reason', async () => {
    await withRecord();
    project.write('flows/steps.json', steps('{{ input }}-other'));
    const part = await weft('run', 'steps', '--from', 'third', '--reuse', 'first.json');
    expect(part.out).toBe('"Ada-first-other-third"\n');
    expect(part.err).toContain('that run’s version of the flow is not known');
  });

  it('uses pinned outputs unless an option forbids it', async () => {
    await withRecord();
    project.write('data/keep', '');
    const sql = openWeftSql(project.path('data'));
    await createPins(createSqlState(sql, Date.now)).set('steps', 'second', { out: 'pinned' }, 'browser');
    await sql.close();
    const input = ['--input', '{"name":"Ada"}'];
    expect(does(await weftJson('run', 'steps', ...input))).toMatchObject({ second: 'pinned' });
    expect((await weft('run', 'steps', ...input)).out).toBe('"pinned-third"\n');
    const without = await weft('run', 'steps', ...input, '--no-pins');
    expect(without).toEqual({ code: 0, out: '"Ada-first-second-third"\n', err: '' });
  });

  it('reports why it cannot use a run', async () => {
    await withRecord();
    project.write('no-run.json', '{"hello":1}');
    expect(await weft('fork', 'no-run.json')).toMatchObject({ code: 2 });
    expect((await weft('fork', 'gone.json')).err).toContain('cannot be read (ENOENT)');
    expect((await weft('fork', '019e0000')).err).toContain('019e0000');
    const both = await weft('run', 'steps', '--from', 'third', '--only', 'second', '--reuse', 'first.json');
    expect(both).toMatchObject({ code: 1 });
    expect(both.err).toContain('not both');
    const record = await weft(
      'run',
      'steps',
      '--from',
      'third',
      '--reuse',
      'first.json',
      '--record',
      'b.json',
    );
    expect(record).toMatchObject({ code: 2 });
  });
});
