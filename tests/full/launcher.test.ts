import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { version } from '../../server/access/http/version.ts';
import { ask, call } from '../support/client.ts';
import { copyOfExamples, lateFlow, write } from '../support/flows.ts';
import { type Program, runProgram, startProgram } from '../support/process.ts';
import { scratchFolder } from '../support/scratch.ts';
import { root, tempFolder } from '../support/server.ts';
import { PATIENCE_MS } from '../support/eventually.ts';

/** `node server` on a Node that cannot run TypeScript: the start goes on with the runtime that npm installed. */
interface OldNode {
  readonly name: string;
  readonly command: string;
  readonly env: Record<string, string>;
}

const oldNodes: OldNode[] = [pretendedNode(), ...installedNodes()];

/** This Node, which says that it is an old one; what it starts says the truth again. */
function pretendedNode(): OldNode {
  const folder = tempFolder('preload');
  afterAll(() => rmSync(folder, { recursive: true }));
  const preload = join(folder, 'old.cjs');
  writeFileSync(
    preload,
    `if (process.env.PRETEND_OLD) {
       delete process.env.PRETEND_OLD;
       Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } });
       Object.defineProperty(process, 'version', { value: 'v18.20.0' });
     }`,
  );
  const env = { NODE_OPTIONS: `--require ${JSON.stringify(preload)}`, PRETEND_OLD: '1' };
  return { name: 'a pretended Node 18', command: process.execPath, env };
}

/** The Nodes of this machine that are older than 24, if there are any. */
function installedNodes(): OldNode[] {
  const folders = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  const found = new Map<string, OldNode>();
  for (const folder of folders) {
    const command = join(folder, 'node');
    const shown = versionOf(command);
    if (shown !== undefined && Number.parseInt(shown.slice(1), 10) < 24)
      found.set(shown, { name: `Node ${shown}`, command, env: {} });
  }
  return [...found.values()];
}

function versionOf(command: string): string | undefined {
  try {
    return execFileSync(command, ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}

const examples = copyOfExamples();
write(examples, 'late.json', lateFlow('late', 'done', 700));
afterAll(() => rmSync(examples, { recursive: true }));

interface Started {
  readonly program: Program;
  readonly url: string;
  readonly data: string;
}

async function start(node: OldNode): Promise<Started> {
  const data = scratchFolder('data');
  const env = { ...node.env, WEFT_PORT: '0', WEFT_FLOWS: examples, WEFT_DATA: data, WEFT_LOG_FORMAT: 'json' };
  const program = startProgram(node.command, ['server'], { env });
  onTestFinished(async () => {
    program.child.kill('SIGTERM');
    await program.ended;
  });
  const [, url = ''] = await program.prints(/"url":"([^"]+)\/"/);
  return { program, url, data };
}

/** The process that really serves. */
function servingProcess({ data }: Started): number {
  return (JSON.parse(readFileSync(join(data, 'weft.pid'), 'utf8')) as { pid: number }).pid;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** npm brings a runtime for Linux and Windows; elsewhere an old Node can only be told what to do. */
const platform = process.platform === 'win32' ? 'win' : process.platform;
const hasRuntime = existsSync(join(root, `node_modules/node-${platform}-${process.arch}`));

describe.each(hasRuntime ? oldNodes : [])('on $name', (node) => {
  test('arguments, output and exit code are those of the real start', async () => {
    expect(await runProgram(node.command, ['server', '--version'], { env: node.env })).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
    expect(await runProgram(node.command, ['server', '--nope'], { env: node.env })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('no option --nope'),
    });
  });

  test('the server does not outlive a launcher that is killed', async () => {
    const started = await start(node);
    const pid = servingProcess(started);
    started.program.child.kill('SIGKILL');
    await started.program.ended;
    await expect.poll(() => isRunning(pid), { timeout: PATIENCE_MS }).toBe(false);
  });

  test('the server starts and answers, and SIGTERM lets a run end before it exits with 0', async () => {
    const started = await start(node);
    const { program, url } = started;
    expect(servingProcess(started)).not.toBe(program.child.pid);
    expect((await call({ url }, '/examples/hello?name=Ada')).body).toBe('Hello, Ada, your age is 18');
    const { late } = await callInFlight(url);
    program.child.kill('SIGTERM');
    expect(await late).toMatchObject({ status: 200, body: 'done' });
    expect(await program.ended).toMatchObject({ code: 0, signal: null });
    await expect(call({ url }, '/examples/hello?name=Ada')).rejects.toThrow();
  });

  test('a serving process that is killed takes the launcher with it, by the same signal', async () => {
    const started = await start(node);
    process.kill(servingProcess(started), 'SIGKILL');
    expect(await started.program.ended).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  test('the command line works too', async () => {
    const ended = await runProgram(node.command, ['server/weft.js', 'check', 'flows'], { env: node.env });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^No problems in \d+ files\.\n$/);
  });
});

/** A call whose run is in progress; on a busy machine one may end unseen. */
async function callInFlight(url: string): Promise<{ late: ReturnType<typeof call> }> {
  for (;;) {
    const late = call({ url }, '/late');
    let isOver = false;
    void late.finally(() => (isOver = true));
    while (!isOver) if ((await ask(`${url}/metrics`)).text.includes('weft_runs_in_flight 1')) return { late };
  }
}

test.each(oldNodes)(
  'on $name without an installed runtime it says what to do, not a syntax error',
  async (node) => {
    const folder = scratchFolder('bare');
    mkdirSync(join(folder, 'server'));
    for (const file of ['package.json', 'server/index.js', 'server/launch.js'])
      cpSync(join(root, file), join(folder, file));
    const ended = await runProgram(node.command, ['server'], { cwd: folder, env: node.env });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/Weft needs Node 24 or newer; this is v\d+/);
    expect(ended.stderr).toContain('npm ci');
    expect(ended.stderr).not.toMatch(/\n\s+at /);
  },
);

test('on a Node that is new enough nothing is started beside it', async () => {
  const node = { name: 'this Node', command: process.execPath, env: {} };
  const started = await start(node);
  expect(servingProcess(started)).toBe(started.program.child.pid);
});
