import { existsSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import type { Entry } from './entry.ts';
import { type FileContent, type FlowFile, isFile, readFlowFile, scanFlowFiles } from './flow-files.ts';

/** Reads flow files and remembers what it saw. If a whole folder is missing, its files do not count as removed. */
export interface DiskView {
  /** The file's content, unless it is the `known` one; undefined when there is no file. */
  read(file: FlowFile, known?: string): FileContent | 'same' | undefined;
  /** Whether the file exists, or existed and cannot be checked now. */
  isThere(path: string, wasThere: boolean): boolean;
  /** Paths whose file differs by size or time from what was read: finds changes without an event. */
  changed(entries: Iterable<Entry>): string[];
}

export function createDiskView(roots: readonly string[]): DiskView {
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
    read(file, known) {
      const content = readFlowFile(file.path);
      if (!content) return isUnreachable(file.path) ? 'same' : undefined;
      const { hash, modifiedAt, size } = content;
      seen.set(file.path, { modifiedAt, size });
      return hash === known ? 'same' : content;
    },
    isThere: (path, wasThere) => isFile(path) || (wasThere && isUnreachable(path)),
    changed(entries) {
      const known = new Set([...entries].flatMap((entry) => entry.files.map((file) => file.path)));
      const paths = scanFlowFiles(roots).map((file) => file.path);
      return [...paths.filter((path) => !known.delete(path) || hasChanged(path)), ...known];
    },
  };
}
