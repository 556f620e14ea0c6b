import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressAssets } from './http/compress-assets.ts';

/** What became of the editor's build before the server starts. */
export type EditorBuild =
  /** Built from the sources as they are. */
  | 'fresh'
  | 'built'
  /** There is nothing to build with; what was built before, if anything, is served. */
  | 'no-tools'
  | 'failed';

export interface BuildDeps {
  /** The project's folder. */
  readonly root: string;
  /** Builds `root`/dist/editor; undefined when the tools for it are not installed. */
  readonly build: (() => Promise<void>) | undefined;
  /** For the person who starts the server. */
  readonly say: (text: string) => void;
}

/** What the built editor is made of; tests and caches are not. */
const sources = [
  'editor',
  'shared',
  'engine/check',
  'engine/errors.ts',
  'engine/expr',
  'engine/flow',
  'engine/text.ts',
  'engine/types',
  'vite.config.ts',
  'package-lock.json',
];
const isOther = /(^|[/\\])(\.|node_modules)|\.test\.tsx?$/;

/**
 * Builds the editor when it was not built yet or its sources have changed since, so that `npm start` always serves the editor
 * that lies in the folder. Never throws: a server without an editor still serves its flows.
 */
export async function buildEditorIfStale(deps: BuildDeps = projectParts()): Promise<EditorBuild> {
  const { root, build, say } = deps;
  const stamp = join(root, 'dist/editor/.sources');
  const now = hashOf(root);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === now) return 'fresh';
  const has = existsSync(join(root, 'dist/editor/index.html'))
    ? 'The last build of it is served.'
    : 'There is none yet.';
  if (!build) {
    say(`The editor is not up to date, and vite is not installed (npm ci brings it). ${has}`);
    return 'no-tools';
  }
  say('Building the editor; this takes some seconds after its sources have changed …');
  try {
    await build();
  } catch (error) {
    say(`The editor could not be built: ${error instanceof Error ? error.message : String(error)} ${has}`);
    return 'failed';
  }
  writeFileSync(stamp, now);
  return 'built';
}

/** Of paths and contents: times say nothing after a checkout. */
function hashOf(root: string): string {
  const hash = createHash('sha256');
  for (const path of sources.flatMap((source) => filesIn(root, join(root, source))).sort()) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Paths relative to the root, with slashes. */
function filesIn(root: string, path: string): string[] {
  const shown = relative(root, path).replaceAll('\\', '/');
  if (isOther.test(shown) || !existsSync(path)) return [];
  try {
    return readdirSync(path).flatMap((name) => filesIn(root, join(path, name)));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return [shown];
    throw error;
  }
}

function projectParts(): BuildDeps {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const vite = viteProgram();
  return {
    root,
    build:
      vite === undefined
        ? undefined
        : async () => {
            await runVite(vite, root);
            await compressAssets(join(root, 'dist/editor/assets'));
          },
    // Standard output carries the log, which may be read by a program.
    say: (text) => void process.stderr.write(`${text}\n`),
  };
}

function viteProgram(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve('vite/package.json');
    return join(dirname(manifest), 'bin/vite.js');
  } catch {
    return undefined;
  }
}

function runVite(vite: string, root: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(process.execPath, [vite, 'build', '--logLevel', 'error'], {
    cwd: root,
    // Whoever starts the server gets the editor for use, also where NODE_ENV says something else (a test runner's does).
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  child.once('error', reject);
  child.once('exit', (code) => {
    if (code === 0) resolve();
    else reject(new Error('vite build failed; its messages are above.'));
  });
  return promise;
}
