import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The `node_modules` in which Weft itself is installed; undefined in a checkout. */
const BESIDE_WEFT = nodeModulesOf(fileURLToPath(import.meta.url));

/**
 * The folder of a package of the settings: in `node_modules` of the working folder, where `weft add` installs it, or else beside Weft
 * itself, where an image has it. The first of them if there is none.
 */
export function packageFolder(name: string, cwd: string, beside: string | undefined = BESIDE_WEFT): string {
  const own = resolve(cwd, 'node_modules', name);
  if (beside === undefined || existsSync(own)) return own;
  const there = join(beside, name);
  return existsSync(there) ? there : own;
}

function nodeModulesOf(file: string): string | undefined {
  return /^.*[/\\]node_modules(?=[/\\])/.exec(file)?.[0];
}
