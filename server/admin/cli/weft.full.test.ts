import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { version } from '../../access/http/version.ts';
import { type Recorded, recorded } from './testing/test-io.ts';
import { flowText, greeting, type TempProject, tempProject } from './testing/temp-project.ts';

const launcher = fileURLToPath(new URL('../../weft.js', import.meta.url));

interface Weft {
  readonly child: ChildProcess;
  readonly out: Recorded;
  readonly err: Recorded;
  readonly code: Promise<number | null>;
}

let project: TempProject = tempProject();
const running = new Set<ChildProcess>();

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  project.remove();
});

function weft(args: readonly string[], env: Record<string, string> = {}): Weft {
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd: project.folder,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  running.add(child);
  const [out, err] = [recorded(), recorded()];
  child.stdout.setEncoding('utf8').on('data', (text: string) => out.write(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => err.write(text));
  const code = once(child, 'close').then(([status]) => {
    running.delete(child);
    return status as number | null;
  });
  return { child, out, err, code };
}

describe('the weft process', () => {
  it('prints its version and its help, and shows examples for every command', async () => {
    project = tempProject();
    const shown = weft(['--version']);
    expect(await shown.code).toBe(0);
    expect(shown.out.text).toBe(`${version}\n`);
    for (const command of ['serve', 'dev', 'check', 'run', 'fmt']) {
      const help = weft([command, '--help']);
      expect(await help.code).toBe(0);
      expect(help.out.text).toMatch(
        new RegExp(`^Usage: weft ${command} [^]*\nExamples:\n {2}\\$ .*weft ${command}`),
      );
    }
  });

  it.each([
    ['weft', launcher, ['serve', '--help']],
    ['the server', fileURLToPath(new URL('../../start.js', import.meta.url)), ['--help']],
  ])('%s ignores a reader that has gone, as in `--help | true`', async (_, script, args) => {
    project = tempProject();
    const child = spawn(process.execPath, [script, ...args], {
      cwd: project.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    child.stdout.destroy();
    const err = recorded();
    child.stderr.setEncoding('utf8').on('data', (text: string) => err.write(text));
    await once(child, 'close');
    running.delete(child);
    expect(err.text).toBe('');
  });

  it('ends with 2 for an unknown command or option, on standard error only', async () => {
    project = tempProject();
    for (const args of [[], ['chek'], ['check', '--nope', '.']]) {
      const { out, err, code } = weft(args);
      expect(await code).toBe(2);
      expect(out.text).toBe('');
      expect(err.text).toMatch(/Usage: weft|Did you mean check\?|unknown option '--nope'/);
    }
  });

  it('ends with the exit code of its command, all output written', async () => {
    const nodes = Object.fromEntries(
      Array.from({ length: 3000 }, (_, i) => [`n${i}`, { operator: 'no.such' }]),
    );
    project = tempProject({ 'big.json': flowText('big', nodes), 'flows/a.json': greeting('a') });
    const check = weft(['check', 'big.json']);
    expect(await check.code).toBe(1);
    expect(check.out.text).toMatch(/in 1 file\.\n$/);
    expect(check.out.text.split('\n').length).toBeGreaterThan(3000);
    const run = weft(['run', 'a', '--input', '-']);
    run.child.stdin?.end('{"name":"Ada"}');
    expect(await run.code).toBe(0);
    expect(run.out.text).toBe('"Hello, Ada"\n');
  });

  it('ends quietly when its reader has enough', async () => {
    const nodes = Object.fromEntries(
      Array.from({ length: 9000 }, (_, i) => [`n${i}`, { operator: 'no.such' }]),
    );
    project = tempProject({ 'big.json': flowText('big', nodes) });
    const { child, out, err, code } = weft(['check', 'big.json']);
    await out.next(/\n/);
    child.stdout?.destroy();
    await code;
    expect(err.text).toBe('');
  });

  it('cancels a run on SIGINT and ends with 1', async () => {
    const nodes = {
      t: { operator: 'trigger.manual' },
      wait: { operator: 'logic.delay', params: { ms: 3_600_000 } },
    };
    project = tempProject({ 'a.json': flowText('a', nodes, ['t > wait']) });
    const { child, err, code } = weft(['run', 'a.json', '--events']);
    await err.next(/node-started wait/);
    child.kill('SIGINT');
    expect(await code).toBe(1);
    expect(err.text).toMatch(/The run was stopped\./);
  });
});

describe('weft dev as a process', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('serves until %s and then ends with 0', async (signal) => {
    project = tempProject({ 'a.json': greeting('a') });
    const { child, out, code } = weft(['dev', 'a.json', '--port', '0']);
    const [, url = ''] = await out.next(/serves on (http:[^;]+);/);
    expect(await (await fetch(`${url}/api/v1/awel/trigger/a?name=Ada`)).json()).toBe('Hello, Ada');
    child.kill(signal);
    expect(await code).toBe(0);
    expect(out.text).toMatch(/Stopped\.\n$/);
  });
});

describe('weft serve', () => {
  it('is the server of node server', async () => {
    project = tempProject({ 'flows/a.json': greeting('a') });
    const { child, out, code } = weft(['serve', '--json'], { WEFT_PORT: '0' });
    const [, url = ''] = await out.next(/"msg":"ready","url":"([^"]+)"/);
    expect(await (await fetch(new URL('/api/v1/awel/trigger/a?name=Ada', url))).json()).toBe('Hello, Ada');
    child.kill('SIGTERM');
    expect(await code).toBe(0);
  });

  it('restarts with --watch when a file changes that it is made of, and stops with SIGINT', async () => {
    const operator = (
      mark: string,
    ) => `export default ({ defineOperator, input, output, z }) => defineOperator({
      title: 'Mark', doc: 'Marks.', icon: 'zap', params: z.object({}), inputs: { in: input({}) },
      outputs: { out: output({}) }, effects: 'pure', examples: [], run: () => '${mark}' });`;
    const nodes = {
      m: { operator: 'my.mark' },
      t: { operator: 'trigger.http', params: { path: '/a', auth: 'none' } },
    };
    project = tempProject({
      'flows/a.json': flowText('a', nodes, ['t > m']),
      'operators/my/mark.mjs': operator('before'),
    });
    const { child, out, code } = weft(['serve', '--watch', '--json'], { WEFT_PORT: '0' });
    const ready = async (): Promise<unknown> => {
      const [, url = ''] = await out.next(/"msg":"ready","url":"([^"]+)"/);
      return (await fetch(new URL('/api/v1/awel/trigger/a', url))).json();
    };
    expect(await ready()).toBe('before');
    project.write('operators/my/mark.mjs', operator('after'));
    expect(await ready()).toBe('after');
    child.kill('SIGINT');
    expect(await code).toBe(0);
  });
});
