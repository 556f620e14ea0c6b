import { execFileSync } from 'node:child_process';
import { root } from './folders.ts';

/** The end-to-end tests that a change can affect; Vitest itself finds the tests that import a changed file. */
export interface Scope {
  /** All end-to-end tests: they start processes, so their imports do not show what they run. */
  readonly product: boolean;
  /** The end-to-end tests in a browser, and those of them that `npm test` leaves to `npm run test:full`. */
  readonly browser: boolean;
  /** The tests of several servers. */
  readonly servers: boolean;
}

/** What several servers share, and how each of them executes runs. */
const SHARED = /^(?:server|engine\/(?:run|replay))\/|^package(?:-lock)?\.json$/;
/** Parts of the server that plainly cannot matter to others: they compute, or belong to the checkout. */
const ALONE =
  /^server\/(?:flows\/awel|integrations\/(?:documents|sandbox)|api\/(?:forms|mcp)|admin\/(?:editor-build|package)|base\/pages)\//;

/** Paths that differ from `ref`, committed or not, and files that git does not know yet. */
export function changedPaths(ref: string): string[] {
  const git = (...args: string[]): string[] => {
    try {
      return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
    } catch {
      throw new Error(
        `--changed=${ref}: git does not know this revision. Name a commit, a branch or HEAD~3.`,
      );
    }
  };
  return [
    ...git('diff', '--name-only', '-z', ref, '--'),
    ...git('ls-files', '--others', '--exclude-standard', '-z'),
  ];
}

/** Unit tests are next to the code and start no product process; docs and benchmarks are not part of the product. */
export function scopeOf(paths: readonly string[]): Scope {
  const parts = paths.filter((path) => !/\.test\.tsx?$|\.md$|^(?:docs|bench|tests|\.ci)\//.test(path));
  return {
    product: parts.some((path) => !path.startsWith('editor/')),
    browser: parts.some((path) => path.startsWith('editor/')),
    servers: parts.some((path) => SHARED.test(path) && !ALONE.test(path)),
  };
}
