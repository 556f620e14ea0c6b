import type { ErrorEntry } from './entry.ts';

/** Flows that come from folders or a git repository (`WEFT_FLOWS_FROM`). */
export const flowSourceErrors = {
  flows_read_only: {
    status: 403,
    meaning: 'The flows come from folders that this server only reads (WEFT_FLOWS_FROM=folders).',
    remedy:
      'Change the files and deploy them, such as in a new image. To change flows here, take them from the database or from a git repository.',
  },
  flows_folder_missing: {
    status: 503,
    meaning: 'WEFT_FLOWS_FROM=folders, and a folder of WEFT_FLOWS cannot be read.',
    remedy: 'Correct WEFT_FLOWS, or put the folder with the flows there.',
  },
  flows_need_database: {
    status: 503,
    meaning: 'WEFT_FLOWS_FROM names a git repository or the database, and there is no database.',
    remedy: 'Set WEFT_DATABASE_URL and WEFT_SECRETS_KEY, or clone the repository and name it in WEFT_FLOWS.',
  },
  flows_not_from_git: {
    status: 409,
    meaning: 'The flows of this server do not come from a git repository.',
    remedy: 'Set WEFT_FLOWS_FROM to one, such as git+https://host/flows.git#main.',
  },
  git_conflict: {
    status: 409,
    meaning:
      'The file of the flow was changed in the git repository as well, so the change was not committed.',
    remedy: 'The change there is taken over now: look at it, then save yours again.',
  },
  git_files_left: {
    status: 409,
    meaning:
      'Files of the git repository do not serve; what served before of those flows goes on. The message names them.',
    remedy: 'Repair them in the repository, or in the editor, which shows flows with problems.',
  },
  git_push_refused: {
    status: 409,
    meaning:
      'The git repository takes no commit to this branch, for example because it is protected. Nothing was changed.',
    remedy:
      'Let the user of WEFT_FLOWS_CREDENTIALS push to the branch, or change the flow in the repository. Drafts are saved without a commit.',
  },
  git_missing: {
    status: 503,
    meaning: 'The program git is not installed where the server runs.',
    remedy: 'Install git 2.31 or newer there, for example into the image.',
  },
  git_unreachable: {
    status: 503,
    meaning:
      'The git repository does not answer. Flows serve as they are; changes of live flows are refused.',
    remedy:
      'Wait until it is back: the server looks again by itself. If it never was reached, correct WEFT_FLOWS_FROM.',
  },
  git_not_found: {
    status: 503,
    meaning: 'There is no git repository at the address of WEFT_FLOWS_FROM, or its user may not see it.',
    remedy:
      'Correct the address as the host shows it for cloning (redirects are not followed), and the credentials.',
  },
  git_denied: {
    status: 503,
    meaning: 'The git repository does not admit this server.',
    remedy:
      'Set WEFT_FLOWS_CREDENTIALS to a user and a token that may read and write the repository. For git+ssh: give the server a key, and its known_hosts the host.',
  },
  git_branch_missing: {
    status: 503,
    meaning: 'The git repository has branches, but not the one that WEFT_FLOWS_FROM names after `#`.',
    remedy: 'Correct the name, or make the branch.',
  },
  git_empty: {
    status: 409,
    meaning:
      'The branch (or its folder) has no flows any more, so nothing was taken over: all would be removed.',
    remedy: 'Correct the folder in WEFT_FLOWS_FROM. If it is as you want it, pull with `{"force": true}`.',
  },
  git_rewritten: {
    status: 409,
    meaning: 'The branch no longer contains the commit that is live: somebody has pushed by force.',
    remedy: 'Restore the branch, or take it as it is: pull with `{"force": true}`.',
  },
  git_too_large: {
    status: 503,
    meaning: 'The branch has more history or files than the server takes (256 MB, 50,000 files).',
    remedy: 'Keep the flows in a repository or a branch of their own.',
  },
  git_damaged: {
    status: 503,
    meaning:
      'Git refuses objects of the repository: they are damaged, or have paths that could lead out of it.',
    remedy: '`git fsck` in a clone names them; repair the branch.',
  },
  git_failed: {
    status: 503,
    meaning: 'Git failed for another reason, which the message names.',
    remedy: 'See the message and the log of the server; it tries again by itself.',
  },
} as const satisfies Record<string, ErrorEntry>;
