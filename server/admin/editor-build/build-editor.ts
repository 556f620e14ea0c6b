import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressAssets } from '../../access/http/compress-assets.ts';

/** Result of building the editor before the server starts. */
export type EditorBuild =
  /** Built from the current sources. */
  | 'fresh'
  | 'built'
  /** The build tools are missing; an earlier build is served, if there is one. */
  | 'no-tools'
  | 'failed';

export interface BuildDeps {
  /** The project's folder. */
  readonly root: string;
  /** Builds `root`/dist/editor; undefined if the build tools are not installed. */
  readonly build: (() => Promise<void>) | undefined;
  /** Makes the help in it, from the pages of `root`/docs and the frame that the editor's build has made. */
  readonly buildHelp: () => Promise<void>;
  /** Prints a line for the person who starts the server. */
  readonly say: (text: string) => void;
}

/** The sources of the build; tests and caches do not count. */
const sources = [
  'editor',
  'shared',
  'engine/base',
  'engine/check',
  'engine/expr',
  'engine/flow',
  'engine/reshape',
  'engine/types',
  'vite.config.ts',
  'server/admin/editor-build/chunk-groups.ts',
  'server/admin/editor-build/editor-chunks.ts',
  'package-lock.json',
];
/** Those of the help, besides the editor. */
const helpSources = ['docs', 'README.md', 'SECURITY.md', 'CHANGELOG.md', 'flows/examples/README.md'];
const isOther = /(^|[/\\])(\.|node_modules)|\.test\.tsx?$/;

/**
 * Builds the editor and the help if they were not built yet or their sources have changed since, so `npm start` always serves those
 * of the current sources. Never throws: a server without an editor still serves its flows.
 */
export async function buildEditorIfStale(deps: BuildDeps = projectParts()): Promise<EditorBuild> {
  const { root, build, buildHelp, say } = deps;
  const editor = stampOf(root, '.sources', sources);
  const help = stampOf(root, '.help', [...sources, ...helpSources]);
  if (help.isFresh()) return 'fresh';
  const has = existsSync(join(root, 'dist/editor/index.html'))
    ? 'The last build is served.'
    : 'There is no earlier build.';
  if (!build) {
    say(`The editor is not up to date, and vite is not installed (npm ci installs it). ${has}`);
    return 'no-tools';
  }
  say('Building the editor; this takes a few seconds whenever its sources have changed …');
  try {
    if (!editor.isFresh()) await build();
    editor.set();
    await buildHelp();
    help.set();
  } catch (error) {
    say(`The editor could not be built: ${error instanceof Error ? error.message : String(error)} ${has}`);
    return 'failed';
  }
  return 'built';
}

/** A file beside a build that says what it was made from. */
function stampOf(root: string, name: string, from: readonly string[]) {
  const stamp = join(root, 'dist/editor', name);
  const now = hashOf(root, from);
  return {
    isFresh: () => existsSync(stamp) && readFileSync(stamp, 'utf8') === now,
    set: () => writeFileSync(stamp, now),
  };
}

/** A hash of paths and contents: file times mean nothing after a checkout. */
function hashOf(root: string, from: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of from.flatMap((source) => filesIn(root, join(root, source))).sort()) {
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
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const vite = viteProgram();
  return {
    root,
    build:
      vite === undefined
        ? undefined
        : async () => {
            await runNode(root, [vite, 'build', '--logLevel', 'error']);
            await compressAssets(join(root, 'dist/editor/assets'));
          },
    buildHelp: () => runNode(root, [join(root, 'docs/site/build.ts')]),
    // Standard output is for the log, which a program may read.
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

function runNode(root: string, args: readonly string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(process.execPath, args, {
    cwd: root,
    // The server always gets a production build, even if NODE_ENV has another value (as in a test runner).
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  child.once('error', reject);
  child.once('exit', (code) => {
    if (code === 0) resolve();
    else reject(new Error('a part of the build failed; its messages are above.'));
  });
  return promise;
}
