import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { root } from '../../support/server.ts';

const SOURCES = ['editor', 'engine', 'shared', 'package-lock.json', 'vite.config.ts'];
const cache = join(root, '.cache');
const lock = join(cache, 'editor-build.lock');
/** A lock that is older was left behind by a run that was killed. */
const DEAD_MS = 120_000;

/** Builds the editor into dist/editor when its sources are newer. Test files run side by side: one builds, the others wait. */
export async function buildEditor(): Promise<void> {
  while (!takeLock()) await new Promise((resolve) => setTimeout(resolve, 200));
  try {
    if (isStale()) await build({ configFile: join(root, 'vite.config.ts'), logLevel: 'error' });
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function takeLock(): boolean {
  mkdirSync(cache, { recursive: true });
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const madeAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - madeAt > DEAD_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function isStale(): boolean {
  const built = join(root, 'dist/editor/index.html');
  if (!existsSync(built)) return true;
  const { mtimeMs } = statSync(built);
  return SOURCES.some((source) => newest(join(root, source)) > mtimeMs);
}

function newest(path: string): number {
  const { mtimeMs } = statSync(path);
  const isFile = !statSync(path).isDirectory();
  if (isFile) return mtimeMs;
  const inside = readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !name.endsWith('.test.ts') && name !== 'node_modules')
    .map(({ name }) => newest(join(path, name)));
  return Math.max(0, ...inside);
}
