import type { ProxySettings } from '../../../base/outbound/proxy.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import type { GitAddress } from '../../../base/config/git-address.ts';
import type { Sql } from '../../../storage/database/sql.ts';
import { DEFAULT_PROJECT } from '../../../storage/database/sql.ts';
import { revisionConflict } from '../entry.ts';
import type { FlowStore } from '../flow-store.ts';
import { createMutationQueue } from '../mutation-queue.ts';
import { checkSize } from '../row-flows.ts';
import { GitClone } from './clone.ts';
import { commitFlow } from './commits.ts';
import { Origins } from './origins.ts';
import { type PullDeps, Pulls } from './pulls.ts';

interface Deps extends Omit<PullDeps, 'branch'> {
  readonly sql: Sql;
  readonly address: GitAddress;
  /** The name of the setting. */
  readonly name: string;
  readonly credentials: string | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** The data folder of this server. */
  readonly data: string;
  /** The most that a copy of the branch may occupy on disk, in bytes. */
  readonly mostBytes?: number;
}

const MOST_BYTES = 256 * 1024 ** 2;

/**
 * Flows that are files of a git repository. They are served from the database, so only changes that go live here wait for the
 * repository: they are committed and pushed first. Drafts, layouts, tests and versions are in the database alone.
 */
export function createGitFlows(given: Deps): FlowStore {
  const { sql, address, name, credentials, proxy, data, mostBytes = MOST_BYTES, ...deps } = given;
  const { rows } = deps;
  const clone = new GitClone({ address, credentials, proxy, data, mostBytes });
  const origins = new Origins(sql, DEFAULT_PROJECT);
  const branch = { clone, origins, address, name, turns: createMutationQueue() };
  const pulls = new Pulls({ ...deps, branch });
  const commit = (...change: [id: string, Parameters<typeof commitFlow>[2]]) =>
    commitFlow(branch, ...change).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === 'git_conflict') pulls.hurry();
      throw error;
    });
  return {
    isShared: true,
    repository: pulls,
    drafts: rows.drafts,
    versions: rows.versions,
    deleted: rows.deleted,
    scan: () => rows.scan(),
    at: (path) => rows.at(path),
    place: (id) => rows.place(id),
    read: (path, known) => rows.read(path, known),
    isThere: (path) => rows.isThere(path),
    changed: (known) => rows.changed(known),
    layout: (path) => rows.layout(path),
    saveLayout: (path, layout) => rows.saveLayout(path, layout),
    alone: (work) => rows.alone(work),
    stage: (path, text) => ({
      async commit(before, routes, by) {
        const id = rows.at(path)?.id ?? '';
        checkSize(text);
        if (rows.hash(id) !== before) throw revisionConflict(id, undefined);
        await rows.write({ id, text, routes, before }, await commit(id, { text, by }));
      },
      discard: async () => {},
    }),
    async remove(id, path, at, by) {
      // A draft is not a file of the repository.
      if (rows.hash(id) === undefined) return rows.remove(id, path, at);
      await rows.removeAlong(id, at, await commit(id, { text: undefined, by }));
    },
    watch(handlers) {
      const watching = rows.watch(handlers);
      pulls.begin(handlers);
      return {
        async close() {
          await pulls.close();
          await watching.close();
        },
      };
    },
  };
}
