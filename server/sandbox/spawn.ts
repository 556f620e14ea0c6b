import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limits } from './limits.ts';

/** The engine that runs code: V8 isolates if there is a binary for this machine, otherwise QuickJS. */
export type Engine = 'isolated-vm' | 'quickjs';

const main = fileURLToPath(new URL('host/main.js', import.meta.url));
const { resolve } = createRequire(import.meta.url);

/**
 * Starts a sandbox host on the Node that runs this process: no environment, no files but its own, no output but the
 * socket (file 3) and the errors of its start (file 2).
 */
export function spawnHost(engine: Engine): ChildProcess {
  const binary = engine === 'isolated-vm' ? binaryOfIsolatedVm() : undefined;
  const folders = [
    dirname(main),
    ...(binary === undefined ? [] : [dirname(binary)]),
    ...quickjsFolders(),
    join(dirname(main), '..', '..', '..', 'package.json'),
  ];
  const args = [
    '--no-node-snapshot',
    '--no-warnings',
    '--permission',
    ...(binary === undefined ? [] : ['--allow-addons']),
    ...folders.map((folder) => `--allow-fs-read=${folder}`),
    '--max-old-space-size=96',
    '--max-semi-space-size=8',
    main,
    binary ?? 'quickjs',
    String(limits.processMb),
  ];
  return spawn(process.execPath, args, { env: {}, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
}

/** As its loader would find it, which may not search for it inside the host; undefined if there is none. */
function binaryOfIsolatedVm(): string | undefined {
  const folder = join(
    dirname(resolve('isolated-vm/package.json')),
    'prebuilds',
    `${process.platform}-${process.arch}`,
  );
  if (!existsSync(folder)) return undefined;
  const fitting = readdirSync(folder).filter((name) =>
    name.startsWith(`isolated-vm.abi${process.versions.modules}.`),
  );
  const libc = existsSync('/etc/alpine-release') ? '.musl.' : '.glibc.';
  const name = fitting.find((file) => file.includes(libc)) ?? fitting.find((file) => !file.includes('libc'));
  return name === undefined ? undefined : join(folder, name);
}

/** The packages that QuickJS consists of. */
function quickjsFolders(): string[] {
  const folder = dirname(dirname(resolve('quickjs-emscripten')));
  const modules = dirname(folder);
  return [folder, join(modules, 'quickjs-emscripten-core'), join(modules, '@jitl')];
}
