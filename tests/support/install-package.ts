import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './server.ts';

/**
 * Packs the project and installs the package in a folder, as somebody does who has nothing else there. Returns the folder of the
 * installed package.
 */
export function installPackage(folder: string): string {
  const env = { ...process.env, npm_config_prefer_offline: 'true', npm_config_update_notifier: 'false' };
  const run = (command: string, args: readonly string[], cwd: string): void =>
    void execFileSync(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  run('npm', ['run', '--silent', 'pack'], root);
  const tarball = readdirSync(join(root, 'dist')).find((name) => /^weft-flow-.*\.tgz$/.test(name));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  run('npm', ['install', '--no-audit', '--no-fund', join(root, 'dist', tarball ?? '')], folder);
  return join(folder, 'node_modules/weft-flow');
}

if (import.meta.main) installPackage(process.argv[2] ?? '');
