import { readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { MAX_FLOW_BYTES } from '#engine/check';
import { Layout } from '#shared/layout.ts';
import { contentHash } from '../../base/files/content-hash.ts';

/**
 * The location of a flow file and how it is read. The id of a flow is the name of its file; the rest of the path does
 * not matter.
 */
export interface FlowFile {
  readonly id: string;
  /** Absolute. */
  readonly path: string;
  /** Path below its flows folder, with `/`. */
  readonly shown: string;
  /** Sorts files of all folders: code-first flows before all others, then by folder as configured, then by path. */
  readonly rank: string;
  /** Present for a flow in code: loaded once, when the server starts, and never written. */
  readonly code?: true;
}

export interface FileContent {
  /** Absent if the file cannot be read or is too large; `failure` is then the system's code (`EACCES`, `EFBIG`). */
  readonly bytes: Uint8Array | undefined;
  readonly failure: string | undefined;
  readonly hash: string;
  /** Unix milliseconds. */
  readonly modifiedAt: number;
  readonly size: number;
}

/** All flow files, each once, in rank order. Folders that are missing or unreadable count as empty. */
export function scanFlowFiles(roots: readonly string[], onFolder?: (folder: string) => void): FlowFile[] {
  return scan(roots, { isWanted: isFlowFileName, fileAt: flowFileAt, onFolder });
}

/** All files with code-first flows, listed in the same way. */
export function scanCodeFiles(roots: readonly string[]): FlowFile[] {
  return scan(roots, { isWanted: isCodeFileName, fileAt: codeFileAt, onFolder: undefined });
}

interface Search {
  readonly isWanted: (name: string) => boolean;
  readonly fileAt: (roots: readonly string[], path: string) => FlowFile | undefined;
  readonly onFolder: ((folder: string) => void) | undefined;
}

function scan(roots: readonly string[], search: Search): FlowFile[] {
  const files = new Map<string, FlowFile>();
  const folders = roots.map((root) => resolve(root));
  for (const folder of folders) {
    const found: string[] = [];
    collect(folder, found, search);
    for (const path of found) {
      const file = search.fileAt(folders, path);
      if (file && !files.has(path)) files.set(path, file);
    }
  }
  return [...files.values()].sort(byRank);
}

function collect(folder: string, found: string[], search: Search): void {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return;
  }
  search.onFolder?.(folder);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    // Links to folders are not followed: they could lead round in a circle.
    if (entry.isDirectory()) collect(path, found, search);
    else if (search.isWanted(entry.name) && (entry.isFile() || isFile(path))) found.push(path);
  }
}

export function isFlowFileName(name: string): boolean {
  return name.endsWith('.json') && !name.startsWith('.') && !/\.(layout|test|eval)\.json$/.test(name);
}

/** Whether the file may contain a code-first flow; helpers (`_…`), tests and type files do not. */
export function isCodeFileName(name: string): boolean {
  return /^[^._].*\.ts$/.test(name) && !/\.(?:test|spec|d)\.ts$/.test(name);
}

/** Whether a file exists, even through a link. An inaccessible path counts as a file: reading it reports the error. */
export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return true;
  }
}

/** The flow file at a path, whether it exists or not; undefined if the path cannot be a flow file. */
export function flowFileAt(roots: readonly string[], path: string): FlowFile | undefined {
  return isFlowFileName(basename(path)) ? fileAt(roots, path, '.json') : undefined;
}

/** The same for a code-first flow. */
export function codeFileAt(roots: readonly string[], path: string): FlowFile | undefined {
  const file = isCodeFileName(basename(path)) ? fileAt(roots, path, '.ts') : undefined;
  // Ranked before all others, so that no later file replaces a flow that was loaded for good.
  return file && { ...file, rank: `!${file.rank}`, code: true };
}

function fileAt(roots: readonly string[], path: string, extension: string): FlowFile | undefined {
  const at = roots.findIndex((root) => isBelow(resolve(root), path));
  const root = roots[at];
  if (root === undefined) return undefined;
  const shown = relative(resolve(root), path).split(sep).join('/');
  if (shown.split('/').some((part) => part.startsWith('.'))) return undefined;
  // Zero sorts below every character of a name.
  return { id: basename(path, extension), path, shown, rank: `${String(at).padStart(4, '0')}\0${shown}` };
}

function isBelow(root: string, path: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}

export function byRank(a: FlowFile, b: FlowFile): number {
  return a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0;
}

/** The current content of the file; undefined if it does not exist. */
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

/** The real target of a write to this path, so that a linked file stays a link. */
export function writeTarget(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export function layoutPath(flowFile: string): string {
  return join(dirname(flowFile), `${basename(flowFile, extname(flowFile))}.layout.json`);
}

/** The layout in a file; undefined if it is missing or unreadable, since it only affects how the flow is drawn. */
export async function readLayout(path: string): Promise<Layout | undefined> {
  const text = await layoutText(path);
  return text === undefined ? undefined : parsedLayout(text);
}

/** Whether there is a layout that cannot be read. */
export async function isLayoutBroken(path: string): Promise<boolean> {
  const text = await layoutText(path);
  return text !== undefined && parsedLayout(text) === undefined;
}

function layoutText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

function parsedLayout(text: string): Layout | undefined {
  try {
    return Layout.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
