import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Actor } from '#shared/audit.ts';
import type { GitAddress } from '../../../base/config/git-address.ts';
import type { ProxySettings } from '../../../base/outbound/proxy.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import { createRunGit, type GitCall, gitError, type RunGit } from './run-git.ts';

/** A file of a commit. */
export interface TreeFile {
  readonly path: string;
  /** `100644` and the like. */
  readonly mode: string;
  readonly blob: string;
  /** Size in bytes; undefined for an entry that is not a file. */
  readonly size: number | undefined;
}

/** The change of one file, to be committed. */
export interface FileChange {
  readonly path: string;
  /** Undefined: the file is removed. */
  readonly blob: string | undefined;
  readonly message: string;
  readonly by: Actor | undefined;
}

interface Options {
  readonly address: GitAddress;
  readonly credentials: string | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** The data folder of this server. */
  readonly data: string;
  /** Most bytes on disk. */
  readonly mostBytes: number;
}

const NAME = 'flows.git-';
const TIP = 'refs/weft/tip';
/** A repository on this machine is written by the server's user, who would run its hooks. */
const WITHOUT_HOOKS = '--receive-pack=git -c core.hooksPath=/dev/null receive-pack';
const REMOTE_MS = 120_000;
/** The most files that `ls-tree` may list. */
const MOST_FILES = 50_000;
const READ_AT_ONCE = 16 * 1024 ** 2;

/**
 * A copy of one branch, without work tree: nothing of it is ever checked out, so that no link, hook, filter or submodule of a
 * repository has an effect. Each process makes a new one, also after each failure, so that a killed one leaves no half copy in use.
 */
export class GitClone {
  private readonly options: Options;
  private readonly run: RunGit;
  private readonly stop = new AbortController();
  private folder: string | undefined;
  private swept = false;
  private head: string | undefined;

  constructor(options: Options) {
    this.options = options;
    this.run = createRunGit(
      { ...options.address, proxy: options.proxy },
      options.credentials,
      this.stop.signal,
    );
  }

  /** The newest commit that was fetched or pushed here. */
  get tip(): string | undefined {
    return this.head;
  }

  /** Fetches the branch. Returns the newest commit; undefined if the repository has none. */
  async fetch(): Promise<string | undefined> {
    const isFresh = this.folder === undefined;
    try {
      return await this.fetchInto(await this.open());
    } catch (error) {
      await this.drop();
      // Git never deletes old packs here; a fresh copy may be small enough.
      if (isFresh || !(error instanceof ServiceError && error.code === 'git_too_large')) throw error;
      return await this.fetchInto(await this.open());
    }
  }

  /** Whether one commit is an ancestor of another one. */
  async isAncestor(older: string, newer: string): Promise<boolean> {
    const { code } = await this.run(['merge-base', '--is-ancestor', older, newer], await this.here());
    return code === 0;
  }

  async files(commit: string): Promise<TreeFile[]> {
    const { folder } = this.options.address;
    const below = folder === '' ? [] : ['--', `${folder}/`];
    const out = await this.ask(['ls-tree', '-r', '-z', '--long', '--full-tree', commit, ...below]);
    const lines = out.toString().split('\0').slice(0, -1);
    if (lines.length > MOST_FILES)
      throw new ServiceError(
        'git_too_large',
        `The branch has ${lines.length} files; ${MOST_FILES} are read at most.`,
      );
    return lines.map((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', , blob = '', size = '-'] = line.slice(0, tab).split(/ +/);
      return { path: line.slice(tab + 1), mode, blob, size: size === '-' ? undefined : Number(size) };
    });
  }

  /** The name of a commit's author. */
  async author(commit: string): Promise<string> {
    return (await this.ask(['show', '--no-patch', '--format=%an', commit])).toString().trim().slice(0, 100);
  }

  /** The blob at a path of a commit. */
  async blobAt(commit: string, path: string): Promise<string | undefined> {
    const out = await this.ask(['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', commit, '--', path]);
    return /^\d+ blob ([0-9a-f]+)\t/.exec(out.toString())?.[1];
  }

  /** The contents of blobs, by their ids. */
  async read(
    files: readonly { readonly blob: string; readonly size: number }[],
  ): Promise<Map<string, Buffer>> {
    const found = new Map<string, Buffer>();
    for (let from = 0, to = 0; from < files.length; from = to) {
      for (let bytes = 0; to < files.length && (to === from || bytes < READ_AT_ONCE); to++)
        bytes += files[to]?.size ?? 0;
      const names = files.slice(from, to).map(({ blob }) => `${blob}\n`);
      const out = await this.ask(['cat-file', '--batch'], names.join(''));
      for (let at = 0; at < out.length; ) {
        const end = out.indexOf(10, at);
        const [blob = '', , size = '0'] = out.subarray(at, end).toString().split(' ');
        found.set(blob, out.subarray(end + 1, end + 1 + Number(size)));
        at = end + 2 + Number(size);
      }
    }
    return found;
  }

  /** Stores a text; returns its blob. */
  async write(text: string): Promise<string> {
    return (await this.ask(['hash-object', '-w', '--stdin'], text)).toString().trim();
  }

  /**
   * Commits a change on top of `parent` and pushes it. Returns the new commit; undefined if another push came first: fetch and
   * look again.
   */
  async push(
    parent: string | undefined,
    { path, blob, message, by }: FileChange,
  ): Promise<string | undefined> {
    const index = { GIT_INDEX_FILE: join(await this.open(), 'weft-index') };
    await rm(index.GIT_INDEX_FILE, { force: true });
    if (parent !== undefined) await this.ask(['read-tree', parent], undefined, index);
    const line = blob === undefined ? `0 ${'0'.repeat(40)}\t${path}\0` : `100644 ${blob}\t${path}\0`;
    await this.ask(['update-index', '-z', '--index-info'], line, index);
    const tree = (await this.ask(['write-tree'], undefined, index)).toString().trim();
    const parents = parent === undefined ? [] : ['-p', parent];
    const made = await this.ask(['commit-tree', tree, ...parents, '-F', '-'], message, authorOf(by));
    const commit = made.toString().trim();
    const { url, branch, protocol } = this.options.address;
    const pushed = await this.run(
      [
        'push',
        '--porcelain',
        '--no-verify',
        '--no-signed',
        '--recurse-submodules=no',
        ...(protocol === 'file' ? [WITHOUT_HOOKS] : []),
        '--',
        url,
        `${commit}:refs/heads/${branch}`,
      ],
      { ...(await this.here()), timeoutMs: REMOTE_MS },
    );
    if (pushed.code === 0) {
      await this.ask(['update-ref', TIP, commit]);
      return (this.head = commit);
    }
    const report = pushed.out.toString();
    if (
      /^!\t.*(\[rejected\]|fetch first|non-fast-forward|cannot lock ref|failed to update ref|incorrect old value)/m.test(
        report,
      )
    )
      return undefined;
    const refused = /^!\t\S+\t(.*)$/m.exec(report)?.[1];
    if (refused === undefined) throw gitError(pushed);
    throw new ServiceError('git_push_refused', `The repository refuses the commit: ${refused.slice(0, 200)}`);
  }

  /** Ends the calls under way, and removes the copy. */
  async close(): Promise<void> {
    this.stop.abort();
    await this.drop();
  }

  /** Removes the copy; the next call makes another one. Never throws. */
  async drop(): Promise<void> {
    const { folder } = this;
    this.folder = undefined;
    this.head = undefined;
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }

  private async fetchInto(folder: string): Promise<string | undefined> {
    const { url, branch } = this.options.address;
    const fetched = await this.run(
      [
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-write-fetch-head',
        '--no-recurse-submodules',
        '--',
        url,
        `+refs/heads/${branch}:${TIP}`,
      ],
      { cwd: folder, timeoutMs: REMOTE_MS, check: () => this.tooLarge(folder) },
    );
    if (fetched.code !== 0 && /couldn't find remote ref/.test(fetched.err)) return this.withoutBranch(folder);
    if (fetched.code !== 0) throw gitError(fetched);
    const isTooLarge = await this.tooLarge(folder);
    if (isTooLarge !== undefined) throw isTooLarge;
    this.head = (await this.ask(['rev-parse', '--verify', `${TIP}^{commit}`])).toString().trim();
    return this.head;
  }

  private async withoutBranch(cwd: string): Promise<undefined> {
    const { url, branch } = this.options.address;
    const heads = await this.run(['ls-remote', '--heads', '--', url], { cwd, timeoutMs: REMOTE_MS });
    if (heads.code !== 0) throw gitError(heads);
    if (heads.out.length > 0)
      throw new ServiceError('git_branch_missing', `The repository has no branch ${branch}.`);
    this.head = undefined;
    return undefined;
  }

  private async tooLarge(folder: string): Promise<ServiceError | undefined> {
    const { mostBytes } = this.options;
    if ((await sizeOf(join(folder, 'objects'))) <= mostBytes) return undefined;
    const most = `${Math.round(mostBytes / 1024 ** 2)} MB`;
    return new ServiceError('git_too_large', `The history of the branch is larger than ${most}.`);
  }

  private async ask(args: readonly string[], input?: string, env?: GitCall['env']): Promise<Buffer> {
    const call = { ...(await this.here()), ...(input !== undefined && { input }), ...(env && { env }) };
    const result = await this.run(args, call);
    if (result.code === 0) return result.out;
    // The next copy need not have the same fault.
    await this.drop();
    throw gitError(result);
  }

  private async here(): Promise<{ cwd: string }> {
    return { cwd: await this.open() };
  }

  private async open(): Promise<string> {
    const { data } = this.options;
    if (!this.swept) await removeCopies(data);
    this.swept = true;
    if (this.folder !== undefined) return this.folder;
    await mkdir(data, { recursive: true });
    const folder = await mkdtemp(join(data, NAME));
    const made = await this.run(['init', '--quiet', '--bare', '--template='], { cwd: folder });
    if (made.code !== 0) throw gitError(made);
    return (this.folder = folder);
  }
}

/** Removes the copies of earlier processes. */
async function removeCopies(data: string): Promise<void> {
  const names = await readdir(data).catch(() => []);
  for (const name of names)
    if (name.startsWith(NAME)) await rm(join(data, name), { recursive: true, force: true });
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = names.map((name) =>
    stat(join(folder, name))
      .then(({ size }) => size)
      .catch(() => 0),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function authorOf(by: Actor | undefined): Record<string, string> {
  const name = by?.name.replaceAll(/[<>\p{Cc}]/gu, ' ').trim() ?? '';
  return {
    GIT_AUTHOR_NAME: name === '' ? 'weft' : name,
    GIT_AUTHOR_EMAIL: `${(by?.kind ?? 'nobody').replaceAll(' ', '-')}@weft.invalid`,
    GIT_COMMITTER_NAME: 'weft',
    GIT_COMMITTER_EMAIL: 'weft@weft.invalid',
  };
}
