import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './server.ts';

function run(command: string, args: readonly string[], cwd: string): void {
  const env = { ...process.env, npm_config_prefer_offline: 'true', npm_config_update_notifier: 'false' };
  execFileSync(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** The folder in which a stage before has installed the package that it packed; nothing has changed since. */
const installed = process.env['TEST_INSTALLED'];

/** Packs the project. Returns the tarball, which is the only one. */
export function packPackage(): string[] {
  if (installed === undefined) run('npm', ['run', '--silent', 'pack'], root);
  const made = readdirSync(join(root, 'dist')).filter((name) => /^weft-flow-.*\.tgz$/.test(name));
  return made.map((name) => join(root, 'dist', name));
}

/**
 * Packs the project and installs the package in a folder, as somebody does who has nothing else there. Returns the folder of the
 * installed package.
 */
export function installPackage(folder: string): string {
  mkdirSync(folder, { recursive: true });
  if (installed === undefined) install(folder);
  // The links of `node_modules/.bin` stay relative.
  else cpSync(installed, folder, { recursive: true, verbatimSymlinks: true });
  return join(folder, 'node_modules/weft-flow');
}

function install(folder: string): void {
  const made = packPackage();
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  run('npm', ['install', '--no-audit', '--no-fund', ...made], folder);
}

if (import.meta.main) installPackage(process.argv[2] ?? '');
