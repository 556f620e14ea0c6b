import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../../base/errors/errors.ts';
import { codedStartError } from '../../base/errors/start-error.ts';
import { flowFileAt, isLayoutBroken, layoutPath, readLayout, scanFlowFiles } from './flow-files.ts';
import { createSeen } from './flow-folders.ts';
import type { FlowStore } from './flow-store.ts';
import type { VersionStore } from './versions.ts';
import { watchFlows } from './watch-flows.ts';

interface Options {
  readonly roots: readonly string[];
  readonly versions: VersionStore;
}

/**
 * Flows of folders that are never written, such as those of an image. Each server has its own, so while an image is
 * replaced they differ. Throws a `StartError` if one of the folders cannot be read: a server without flows is useless.
 */
export function createReadOnlyFolders({ roots, versions }: Options): FlowStore {
  for (const root of roots) assertFolder(root);
  const [home = ''] = roots;
  return {
    isReadOnly: true,
    ...createSeen(roots),
    scan: () => scanFlowFiles(roots),
    at: (path) => flowFileAt(roots, path),
    place: (id) => join(home, `${id}.json`),
    stage: () => ({ commit: refuse, discard: async () => {} }),
    layout: (path) => readLayout(layoutPath(path)),
    isLayoutBroken: (path) => isLayoutBroken(layoutPath(path)),
    saveLayout: refuse,
    remove: refuse,
    // Drafts made before, in the database or a hidden folder, stay there.
    drafts: { all: () => [], write: refuse, remove: async () => {} },
    versions,
    alone: (work) => work(),
    watch: (handlers) => watchFlows(roots, handlers),
  };
}

async function refuse(): Promise<never> {
  throw new ServiceError('flows_read_only');
}

function assertFolder(folder: string): void {
  try {
    readdirSync(folder);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw codedStartError(
      'flows_folder_missing',
      `The folder ${folder} of WEFT_FLOWS cannot be read (${reason}), and WEFT_FLOWS_FROM=folders serves nothing else. ` +
        'Correct WEFT_FLOWS, or put the folder there.',
    );
  }
}
