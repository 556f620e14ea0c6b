import { existsSync, statSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { formatLayout } from '#engine/check';
import { stageFile, sweepLeftovers, writeFileAtomic } from '../../base/files/atomic-file.ts';
import { createDraftStore, draftPath, writersPath } from './drafts.ts';
import { revisionConflict } from './entry.ts';
import {
  type FileContent,
  flowFileAt,
  isFile,
  layoutPath,
  readFlowFile,
  isLayoutBroken,
  readLayout,
  scanFlowFiles,
  writeTarget,
} from './flow-files.ts';
import type { FlowStore } from './flow-store.ts';
import { createTrash } from './trash.ts';
import { createVersionStore } from './versions.ts';
import { watchFlows } from './watch-flows.ts';

interface Options {
  /** The folders of flow files. New flows go to the first one, which holds all drafts. */
  readonly roots: readonly [string, ...string[]];
  /** The data folder, for versions and deleted flows. */
  readonly data: string;
  readonly now: () => number;
  readonly warn: (error: unknown, message: string) => void;
}

/** Flows as files: `<id>.json` anywhere below the folders, with its layout beside it. */
export function createFlowFolders({ roots, data, now, warn }: Options): FlowStore {
  const [home] = roots;
  const seen = createSeen(roots);
  const trash = createTrash(join(data, 'trash'));

  return {
    ...seen,
    scan: () => scanFlowFiles(roots, sweepLeftovers),
    at: (path) => flowFileAt(roots, path),
    place: (id) => join(home, `${id}.json`),
    stage: stageText,
    layout: (path) => readLayout(layoutPath(path)),
    isLayoutBroken: (path) => isLayoutBroken(layoutPath(path)),
    saveLayout: (path, layout) => writeFileAtomic(writeTarget(layoutPath(path)), formatLayout(layout)),
    remove(id, path, at) {
      const files = [
        { path, name: `${id}.json` },
        { path: draftPath(home, id), name: `${id}.draft.json` },
        { path: writersPath(home, id), name: `${id}.writers.json` },
        { path: layoutPath(path), name: `${id}.layout.json` },
      ];
      return trash.take(files, at);
    },
    deleted: trash,
    drafts: createDraftStore(home, now),
    versions: createVersionStore(join(data, 'versions'), warn),
    // Other writers of these folders are not servers, and wait for no change.
    alone: (work) => work(),
    watch: (handlers) => watchFlows(roots, handlers),
  };
}

/** Reads files and remembers their size and time. */
export function createSeen(roots: readonly string[]): Pick<FlowStore, 'read' | 'isThere' | 'changed'> {
  const seen = new Map<string, Pick<FileContent, 'modifiedAt' | 'size'>>();

  function isUnreachable(path: string): boolean {
    return roots.some((root) => path.startsWith(root + sep) && !existsSync(root));
  }

  function hasChanged(path: string): boolean {
    const known = seen.get(path);
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.mtimeMs !== known?.modifiedAt || stats?.size !== known?.size;
  }

  return {
    read(path, known) {
      const content = readFlowFile(path);
      if (!content) return isUnreachable(path) ? 'same' : undefined;
      const { hash, modifiedAt, size } = content;
      seen.set(path, { modifiedAt, size });
      return hash === known ? 'same' : content;
    },
    isThere: (path, wasThere) => isFile(path) || (wasThere && isUnreachable(path)),
    changed(paths) {
      const known = new Set(paths);
      const found = scanFlowFiles(roots).map((file) => file.path);
      return [...found.filter((path) => !known.delete(path) || hasChanged(path)), ...known];
    },
  };
}

function stageText(path: string, text: string): ReturnType<FlowStore['stage']> {
  const staged = stageFile(writeTarget(path), text);
  return {
    discard: staged.discard,
    commit: (before) =>
      staged.commit(() => {
        // Read again together with the rename: the file may have been saved while ours was being written.
        if (readFlowFile(path)?.hash !== before) throw revisionConflict(basename(path, '.json'), undefined);
      }),
  };
}
