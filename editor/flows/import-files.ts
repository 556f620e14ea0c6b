import type { FlowSummary } from '#shared/api.ts';
import { createFrom } from './flow-actions.ts';
import { freeId } from './new-flow.ts';
import { type FileText, readFiles } from './read-files.ts';

export interface Refused {
  readonly name: string;
  readonly reasons: readonly string[];
}

const MOST_REASONS = 8;

/** Imports the valid files; an id that is taken gets a number. */
export async function importFiles(
  files: readonly FileText[],
  flows: readonly FlowSummary[],
): Promise<{ imported: string[]; refused: Refused[] }> {
  const taken = new Set(flows.map(({ id }) => id));
  const imported: string[] = [];
  const refused: Refused[] = [];
  for (const read of await readFiles(files)) {
    if ('problems' in read) {
      refused.push({ name: read.name, reasons: reasonsOf(read.problems) });
      continue;
    }
    const id = freeId(read.flow.id, taken);
    try {
      await createFrom({ ...read.flow, id }, read.layout);
      taken.add(id);
      imported.push(id);
    } catch (error) {
      refused.push({ name: read.name, reasons: [error instanceof Error ? error.message : String(error)] });
    }
  }
  return { imported, refused };
}

function reasonsOf(
  problems: readonly { message: string; line?: number | undefined; column?: number | undefined }[],
): string[] {
  const reasons = problems.map(({ message, line, column }) =>
    line === undefined ? message : `Line ${line}, column ${column ?? 1}: ${message}`,
  );
  const unique = [...new Set(reasons)];
  const more = unique.length - MOST_REASONS;
  return more > 0 ? [...unique.slice(0, MOST_REASONS), `and ${more} more`] : unique;
}
