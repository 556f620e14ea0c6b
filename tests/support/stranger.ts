import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { buildEditor } from '../editor/support/build.ts';
import { root, tempFolder } from './server.ts';

/**
 * A fresh copy of the repository, as from `git clone`, with uncommitted changes on top. Without git (an unpacked
 * archive) the files themselves are copied.
 */
export function freshClone(): string {
  const folder = join(tempFolder('clone'), 'weft');
  if (!existsSync(join(root, '.git'))) {
    const left = new Set(['node_modules', 'data', 'dist', '.cache'].map((name) => join(root, name)));
    cpSync(root, folder, { recursive: true, filter: (path) => !left.has(path) });
    return folder;
  }
  git('clone', '--quiet', root, folder);
  for (const file of listed('--modified', '--others', '--exclude-standard')) {
    // Never a link: `npm ci` in the copy would empty the target of a linked node_modules.
    if (isFile(join(root, file))) cpSync(join(root, file), join(folder, file));
  }
  for (const file of listed('--deleted')) rmSync(join(folder, file), { force: true });
  return folder;
}

/**
 * Such a copy as it is after `npm ci` and the build of its editor, whose sources are those of the checkout. Its packages are the
 * checkout's own: nothing may be installed in it.
 */
export async function readyClone(): Promise<string> {
  const folder = freshClone();
  await buildEditor();
  cpSync(join(root, 'dist/editor'), join(folder, 'dist/editor'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function listed(...flags: string[]): string[] {
  return git('ls-files', '-z', ...flags)
    .split('\0')
    .filter((file) => file !== '');
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' });
}

/** The environment of this process without the variables of npm and the test runner. */
export function strangersEnv(more: Record<string, string>): Record<string, string | undefined> {
  const kept = new Set(['npm_config_registry', 'npm_config_cache', 'npm_config_userconfig']);
  const ours = /^(?:npm_|NODE_ENV$|VITEST|VITE_|WEFT_|TEST$|PROD$|DEV$|MODE$|BASE_URL$|INIT_CWD$|SSR$)/;
  const names = Object.keys(process.env).filter((name) => ours.test(name) && !kept.has(name.toLowerCase()));
  return { ...Object.fromEntries(names.map((name) => [name, undefined])), PATH: strangersPath(), ...more };
}

/**
 * The PATH without the folders that npm adds, so that the system's own Node comes first; a Node is at the end in any
 * case.
 */
function strangersPath(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const own = folders.filter((folder) => !/node_modules|node-gyp-bin/.test(folder));
  return [...own, dirname(process.execPath)].join(delimiter);
}
