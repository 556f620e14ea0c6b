import { existsSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import type { Entry, Stored } from './entry.ts';
import { examineFile } from './examine-file.ts';
import type { Examine } from './examine.ts';
import { type FileContent, type FlowFile, isFile, readFlowFile, scanFlowFiles } from './flow-files.ts';

/** Looks at flow files and remembers what it saw. A folder that is gone altogether is no reason to call its files gone. */
export interface DiskView {
  /** The file's content, unless it is the `known` one; undefined when there is no file. */
  read(file: FlowFile, known?: string): Stored | 'same' | undefined;
  /** Whether the file is there, or was and cannot be told. */
  isThere(path: string, wasThere: boolean): boolean;
  /** Paths whose file is not as it was read, by size and time: finds what no event told of. */
  changed(entries: Iterable<Entry>): string[];
}

export function createDiskView(roots: readonly string[], examine: Examine): DiskView {
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
      return hash === known ? 'same' : { hash, modifiedAt, examined: examineFile(examine, file, content) };
    },
    isThere: (path, wasThere) => isFile(path) || (wasThere && isUnreachable(path)),
    changed(entries) {
      const known = new Set([...entries].flatMap((entry) => entry.files.map((file) => file.path)));
      const paths = scanFlowFiles(roots).map((file) => file.path);
      return [...paths.filter((path) => !known.delete(path) || hasChanged(path)), ...known];
    },
  };
}
