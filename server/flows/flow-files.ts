import { readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { MAX_FLOW_BYTES } from '#engine/check';
import { contentHash } from './content-hash.ts';

/** Where flow files lie and how they are read. A flow's id is its file's name; nothing else of the path counts. */
export interface FlowFile {
  readonly id: string;
  /** Absolute. */
  readonly path: string;
  /** Path below its flows folder, with `/`. */
  readonly shown: string;
  /** Sorts files of all folders: by folder as configured, then by path. */
  readonly rank: string;
}

export interface FileContent {
  /** Absent when the file cannot be read or is too large; `failure` is then the system's code (`EACCES`, `EFBIG`). */
  readonly bytes: Uint8Array | undefined;
  readonly failure: string | undefined;
  readonly hash: string;
  /** Unix milliseconds. */
  readonly modifiedAt: number;
  readonly size: number;
}

/** All flow files, each once, in rank order. Folders that are missing or cannot be read hold none. */
export function scanFlowFiles(roots: readonly string[], onFolder?: (folder: string) => void): FlowFile[] {
  const files = new Map<string, FlowFile>();
  const folders = roots.map((root) => resolve(root));
  for (let i = 0; i < folders.length; i++) {
    const found: string[] = [];
    collect(folders[i] as string, found, onFolder);
    for (const path of found) {
      const file = flowFileAt(folders, path);
      if (file && !files.has(path)) files.set(path, file);
    }
  }
  return [...files.values()].sort(byRank);
}

function collect(folder: string, found: string[], onFolder: ((folder: string) => void) | undefined): void {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return;
  }
  onFolder?.(folder);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    // Links to folders are not followed: they could lead round in a circle.
    if (entry.isDirectory()) collect(path, found, onFolder);
    else if (isFlowFileName(entry.name) && (entry.isFile() || isFile(path))) found.push(path);
  }
}

export function isFlowFileName(name: string): boolean {
  return name.endsWith('.json') && !name.startsWith('.') && !/\.(layout|test)\.json$/.test(name);
}

/** Whether there is a file, if only through a link. What cannot be looked at is taken for one: reading it says what is wrong. */
export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return true;
  }
}

/** What a path is as a flow file; undefined when it is none, whether it exists or not. */
export function flowFileAt(roots: readonly string[], path: string): FlowFile | undefined {
  const at = roots.findIndex((root) => isBelow(resolve(root), path));
  const root = roots[at];
  if (root === undefined) return undefined;
  const shown = relative(resolve(root), path).split(sep).join('/');
  const isHidden = shown.split('/').some((part) => part.startsWith('.'));
  if (isHidden || !isFlowFileName(basename(path))) return undefined;
  // Zero sorts below every character of a name.
  return { id: basename(path, '.json'), path, shown, rank: `${String(at).padStart(4, '0')}\0${shown}` };
}

function isBelow(root: string, path: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}

export function byRank(a: FlowFile, b: FlowFile): number {
  return a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0;
}

/** The file as it is now; undefined when there is none. */
export function readFlowFile(path: string): FileContent | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile()) return undefined;
    const known = { modifiedAt: stats.mtimeMs, size: stats.size };
    if (stats.size > MAX_FLOW_BYTES)
      return { ...known, bytes: undefined, failure: 'EFBIG', hash: `size-${stats.size}` };
    const bytes = readFileSync(path);
    return { ...known, bytes, failure: undefined, hash: contentHash(bytes) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return { bytes: undefined, failure: code, hash: `failed-${code}`, modifiedAt: 0, size: 0 };
  }
}

/** Where a write to this path really goes, so that a linked file stays a link. */
export function writeTarget(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export function layoutPath(flowFile: string): string {
  return join(dirname(flowFile), `${basename(flowFile, '.json')}.layout.json`);
}
