import { posix } from 'node:path';
import type { Actor } from '#shared/audit.ts';
import type { GitAddress } from '../../config/git-address.ts';
import { ServiceError } from '../../errors/errors.ts';
import type { MutationQueue } from '../mutation-queue.ts';
import type { Along } from '../row-flows.ts';
import type { GitClone } from './clone.ts';
import type { Origin, Origins } from './origins.ts';

export interface Branch {
  readonly clone: GitClone;
  /** One thing at a time is done with the copy. */
  readonly turns: MutationQueue;
  readonly origins: Origins;
  readonly address: GitAddress;
  /** The setting, which is what was taken over belongs to. */
  readonly name: string;
}

/** So often somebody else may push between a fetch and a push. */
const ATTEMPTS = 5;

/** The commit that is live, if it is one of this branch. */
export async function liveCommit({ origins, name }: Branch): Promise<string | undefined> {
  const state = await origins.state();
  return state?.address === name ? state.commit : undefined;
}

/** Throws `git_rewritten` if a commit is no longer in the history of the branch. */
export async function refuseRewritten(
  clone: GitClone,
  live: string | undefined,
  tip: string | undefined,
): Promise<void> {
  if (live === undefined || (tip !== undefined && (await clone.isAncestor(live, tip)))) return;
  throw new ServiceError(
    'git_rewritten',
    `The branch no longer contains ${live.slice(0, 12)}, which is live: somebody has pushed by force.`,
  );
}

/**
 * Commits the text of a flow and pushes it, before it is stored here; undefined removes it. Returns what is to be stored along with it.
 * A killed process has pushed it or not: if it has, the next pull takes it over. Others may change other files meanwhile; rejects with
 * `git_conflict` if they have changed this one.
 */
export function commitFlow(
  branch: Branch,
  id: string,
  { text, by }: { text: string | undefined; by: Actor | undefined },
): Promise<Along> {
  const { clone, origins, address, name, turns } = branch;
  return turns.run(async () => {
    const live = await liveCommit(branch);
    const origin = live === undefined ? undefined : (await origins.all()).get(id);
    const path = origin?.path ?? posix.join(address.folder, `${id}.json`);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0 || live === undefined || clone.tip !== live) {
        await clone.fetch();
        await refuseRewritten(clone, live, clone.tip);
      }
      const { tip } = clone;
      const there = tip === undefined ? undefined : await clone.blobAt(tip, path);
      const blob = text === undefined ? undefined : await clone.write(text);
      if (there !== blob && there !== origin?.blob) throw conflict(id, path);
      const change = { path, blob, message: `${verb(text, origin)} flow ${id}\n`, by };
      const commit = there === blob ? tip : await clone.push(tip, change);
      if (commit === undefined && there !== blob) continue;
      return async (tx) => {
        await origins.put(tx, id, blob === undefined ? undefined : { path, blob });
        // Else others have changed something before, which is still to be taken over.
        if (tip === live && commit !== undefined) await origins.putState(tx, { address: name, commit });
      };
    }
    throw new ServiceError(
      'git_failed',
      `Others push to the branch all the time; ${ATTEMPTS} attempts were made.`,
    );
  });
}

function verb(text: string | undefined, origin: Origin | undefined): string {
  if (text === undefined) return 'Remove';
  return origin === undefined ? 'Add' : 'Change';
}

function conflict(id: string, path: string): ServiceError {
  const message = `Flow ${id} was changed in the git repository as well (${path}).`;
  return new ServiceError('git_conflict', message);
}
