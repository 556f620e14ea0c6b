import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from './testing/platform-bed.ts';

/** Makes the first process of a chain report an old version of Node; its child processes report the real one. */
const pretendOld = `
if (!process.env.PRETENDED) {
  process.env.PRETENDED = '1';
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.0.0' } });
}`;

const entry = `
export function main(args) {
  process.on('SIGTERM', () => process.exit(7));
  process.on('SIGHUP', () => { process.removeAllListeners('SIGTERM'); process.kill(process.pid, 'SIGTERM'); });
  console.log(JSON.stringify({ node: process.versions.node, args }));
  if (args[0] === 'end') process.exit(Number(args[1]));
  if (args[0] === 'fail') throw new Error('cannot start');
  setInterval(() => {}, 1000);
}`;

interface Project {
  start(args: string[]): {
    output: Promise<string>;
    errors: Promise<string>;
    end: Promise<unknown[]>;
    kill(signal: NodeJS.Signals): void;
  };
}

/** A project with the real launcher, an entry of the test's, and this Node as the runtime that npm installed. */
async function project(options: { runtime: boolean; old: boolean }): Promise<Project> {
  const folder = await tempFolder();
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const bin = join(folder, 'node_modules', `node-${system}-${process.arch}`, 'bin');
  await mkdir(join(folder, 'server'));
  await cp(join(import.meta.dirname, 'launch.js'), join(folder, 'server', 'launch.js'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'old.js'), pretendOld);
  await writeFile(join(folder, 'server', 'main.js'), entry);
  await writeFile(
    join(folder, 'server', 'index.js'),
    "import { launch } from './launch.js';\nlaunch(() => import('./main.js'));",
  );
  if (options.runtime) {
    await mkdir(bin, { recursive: true });
    await symlink(process.execPath, join(bin, program));
  }
  return {
    start(args) {
      const imports = options.old ? ['--import', join(folder, 'old.js')] : [];
      const child = spawn(process.execPath, [...imports, join(folder, 'server'), ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const first = async (stream: NodeJS.ReadableStream): Promise<string> =>
        String((await once(stream, 'data'))[0]);
      return {
        output: first(child.stdout),
        errors: first(child.stderr),
        end: once(child, 'exit'),
        kill: (s) => child.kill(s),
      };
    },
  };
}

test('on a new Node the entry runs at once, with its arguments', async () => {
  const { start } = await project({ runtime: false, old: false });
  const { output, end } = start(['end', '3', 'x']);
  expect(JSON.parse(await output)).toEqual({ node: process.versions.node, args: ['end', '3', 'x'] });
  expect(await end).toEqual([3, null]);
});

test('on an old Node it runs on the installed runtime, with the same arguments and exit code', async () => {
  const { start } = await project({ runtime: true, old: true });
  const { output, end } = start(['end', '5']);
  expect(JSON.parse(await output)).toEqual({ node: process.versions.node, args: ['end', '5'] });
  expect(await end).toEqual([5, null]);
});

test('signals go on to the runtime, whose exit code is kept', async () => {
  const { start } = await project({ runtime: true, old: true });
  const { output, end, kill } = start(['wait']);
  await output;
  kill('SIGTERM');
  expect(await end).toEqual([7, null]);
});

test('when the runtime dies by a signal, so does the launcher', async () => {
  const { start } = await project({ runtime: true, old: true });
  const { output, end, kill } = start(['wait']);
  await output;
  kill('SIGHUP');
  expect(await end).toEqual([null, 'SIGTERM']);
});

test('on an old Node without a runtime it prints what to do', async () => {
  const { start } = await project({ runtime: false, old: true });
  const { errors, end } = start([]);
  expect(await errors).toMatch(/needs Node 24 or newer[^]*npm ci/);
  expect(await end).toEqual([1, null]);
});

test('an entry that fails ends the process with 1', async () => {
  const { start } = await project({ runtime: false, old: false });
  const { errors, end } = start(['fail']);
  expect(await errors).toContain('cannot start');
  expect(await end).toEqual([1, null]);
});
