import { posix } from 'node:path';
import type { Actor } from '#shared/audit.ts';
import type { GitAddress } from '../../../base/config/git-address.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import type { MutationQueue } from '../mutation-queue.ts';
import type { Along } from '../row-flows.ts';
import type { GitClone } from './clone.ts';
import type { Origin, Origins } from './origins.ts';

export interface Branch {
  readonly clone: GitClone;
  /** Lets one operation at a time use the copy. */
  readonly turns: MutationQueue;
  readonly origins: Origins;
  readonly address: GitAddress;
  /** The setting, to which the imported state belongs. */
  readonly name: string;
}

/** How many pushes of others may come between a fetch and a push. */
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
    `The branch no longer contains ${live.slice(0, 12)}, which is live: it was force-pushed.`,
  );
}

/**
 * Commits the text of a flow and pushes it, before it is stored here; undefined removes it. Returns the data to store with it.
 * If a killed process has pushed it, the next pull imports it. Others may change other files meanwhile; rejects with
 * `git_conflict` if they have changed this one.
 */
export function commitFlow(
  branch: Branch,
  id: string,
  { text, by }: { text: string | undefined; by: Actor | undefined },
): Promise<Along> {
  return branch.turns.run(async () => {
    const live = await liveCommit(branch);
    const origin = live === undefined ? undefined : (await branch.origins.all()).get(id);
    const path = origin?.path ?? posix.join(branch.address.folder, `${id}.json`);
    const message = `${verb(text, origin)} flow ${id}\n`;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      await takeTip(branch, live, { isKnown: attempt === 0 });
      const made = await pushOnTip(branch, { id, path, text, message, by, before: origin?.blob });
      if (made !== undefined) return along(branch, { id, path, live, ...made });
    }
    const often = `Others push to the branch all the time; ${ATTEMPTS} attempts were made.`;
    throw new ServiceError('git_failed', often);
  });
}

/** Fetches the branch, unless its newest commit is known to be the one that is live. */
async function takeTip(
  { clone }: Branch,
  live: string | undefined,
  { isKnown }: { readonly isKnown: boolean },
): Promise<void> {
  if (isKnown && live !== undefined && clone.tip === live) return;
  await clone.fetch();
  await refuseRewritten(clone, live, clone.tip);
}

interface Wish {
  readonly id: string;
  readonly path: string;
  readonly text: string | undefined;
  readonly message: string;
  readonly by: Actor | undefined;
  /** The blob that the flow was imported from. */
  readonly before: string | undefined;
}

interface Pushed {
  readonly blob: string | undefined;
  readonly parent: string | undefined;
  readonly commit: string | undefined;
}

/** Undefined if another push came first. */
async function pushOnTip(
  { clone }: Branch,
  { id, text, before, ...wish }: Wish,
): Promise<Pushed | undefined> {
  const parent = clone.tip;
  const there = parent === undefined ? undefined : await clone.blobAt(parent, wish.path);
  const blob = text === undefined ? undefined : await clone.write(text);
  // Pushed by a server that was killed before it could store it, or identical to someone else's change.
  if (there === blob) return { blob, parent, commit: parent };
  if (there !== before) {
    const message = `Flow ${id} was changed in the git repository as well (${wish.path}).`;
    throw new ServiceError('git_conflict', message);
  }
  const commit = await clone.push(parent, { ...wish, blob });
  return commit === undefined ? undefined : { blob, parent, commit };
}

function along(
  { origins, name: address }: Branch,
  { id, path, live, blob, parent, commit }: Pushed & Pick<Wish, 'id' | 'path'> & { live: string | undefined },
): Along {
  return async (tx) => {
    await origins.put(tx, id, blob === undefined ? undefined : { path, blob });
    // Otherwise someone changed it before, and that is still to be imported.
    if (parent === live && commit !== undefined) await origins.putState(tx, { address, commit });
  };
}

function verb(text: string | undefined, origin: Origin | undefined): string {
  if (text === undefined) return 'Remove';
  return origin === undefined ? 'Add' : 'Change';
}
