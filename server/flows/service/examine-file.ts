import { MAX_FLOW_BYTES } from '#engine/check';
import { ID_PATTERN } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import { type Examined, unparsed } from './examine.ts';
import type { FileContent, FlowFile } from './flow-files.ts';

type FileName = Pick<FlowFile, 'id' | 'shown'>;

/** Examines a file, at once or later; a file that cannot be read gets a problem like any other. */
export function examineFile<T extends Examined | Promise<Examined>>(
  examine: (id: string, source: Uint8Array) => T,
  file: FileName,
  content: FileContent,
): T | Examined {
  if (content.bytes === undefined) return unparsed('', [unreadable(content.failure)]);
  if (!ID_PATTERN.test(file.id)) return unparsed(content.bytes, [badName(file)]);
  return examine(file.id, content.bytes);
}

function unreadable(failure: string | undefined): Problem {
  if (failure === 'EFBIG') {
    const message = `The file is larger than ${MAX_FLOW_BYTES / 1e6} MB; split the flow.`;
    return { code: 'too-large', severity: 'error', message };
  }
  const message = `The file cannot be read (${failure ?? 'unknown'}); repair its permissions.`;
  return { code: 'unreadable-file', severity: 'error', message };
}

function badName(file: FileName): Problem {
  const message = `The file ${file.shown} cannot be a flow: its name must be a lower-case letter, then a-z, 0-9 and _.`;
  return { code: 'bad-field', severity: 'error', field: 'id', message };
}
