import { basename } from 'node:path';
import { MAX_FLOW_BYTES } from '#engine/check';
import { ID_PATTERN } from '#shared/flow.ts';
import type { LeftFile } from '#shared/flow-pull.ts';
import { isFlowFileName } from '../flow-files.ts';
import type { TreeFile } from './clone.ts';
import type { Origin } from './origins.ts';

export interface FlowOrigin extends Origin {
  /** Size in bytes. */
  readonly size: number;
}

/** The flow files of a commit by the ids of their flows, and the files that are left out. */
export interface BranchFiles {
  readonly flows: ReadonlyMap<string, FlowOrigin>;
  readonly left: readonly LeftFile[];
  /** Ids of all flows on the branch, including those whose file is left out: they are not removed. */
  readonly ids: ReadonlySet<string>;
}

/** Selects the flow files of a branch, by the rules of a flows folder; but of two files with one id, both are left out. */
export function sortFiles(files: readonly TreeFile[]): BranchFiles {
  const flows = new Map<string, FlowOrigin>();
  const left: LeftFile[] = [];
  const byId = Map.groupBy(files.filter(isFlowFile), ({ path }) => basename(path, '.json'));
  for (const [id, found] of byId) {
    const [first] = found;
    if (first === undefined) continue;
    if (found.length > 1) {
      const all = found.map(({ path }) => path).join(' and ');
      for (const { path: file } of found)
        left.push({
          file,
          code: 'duplicate-flow-id',
          message: `${all} have the same id; rename all but one.`,
        });
      continue;
    }
    const problem = problemOf(id, first);
    if (problem === undefined) flows.set(id, { path: first.path, blob: first.blob, size: first.size ?? 0 });
    else left.push({ file: first.path, ...problem });
  }
  return { flows, left, ids: new Set(byId.keys()) };
}

function isFlowFile({ path }: TreeFile): boolean {
  const parts = path.split('/');
  return isFlowFileName(basename(path)) && !parts.some((part) => part.startsWith('.'));
}

function problemOf(id: string, { mode, size = 0 }: TreeFile): Omit<LeftFile, 'file'> | undefined {
  if (!mode.startsWith('100'))
    return { code: 'unreadable-file', message: 'It is a link or a submodule, which is not followed.' };
  if (!ID_PATTERN.test(id))
    return {
      code: 'bad-field',
      message: 'The name of a flow file is a lower-case letter, then a-z, 0-9 and _.',
    };
  if (size > MAX_FLOW_BYTES)
    return { code: 'too-large', message: `It is larger than ${MAX_FLOW_BYTES / 1e6} MB; split the flow.` };
  return undefined;
}

/** A file as text; undefined if it is not text. */
export function storableText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    // PostgreSQL stores no text with this character.
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
