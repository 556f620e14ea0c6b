import type { FlowSummary } from '#shared/api.ts';
import { createFrom } from './flow-actions.ts';
import type { Refusal } from './each-flow.ts';
import { freeId } from '#shared/flow-copy.ts';
import { type FileText, readFiles } from './read-files.ts';

const MOST_REASONS = 8;
/** Of a file in an archive; a flow is far smaller. */
const MOST_BYTES = 20_000_000;

/** The texts of files, and of the files in archives, such as an export of several flows. */
export async function textsOf(files: readonly File[]): Promise<FileText[]> {
  const texts = await Promise.all(files.map((file) => (isArchive(file) ? unpacked(file) : textOf(file))));
  return texts.flat();
}

const isArchive = ({ name }: File): boolean => name.toLowerCase().endsWith('.zip');

const textOf = async (file: File): Promise<FileText[]> => [{ name: file.name, text: await file.text() }];

async function unpacked(file: File): Promise<FileText[]> {
  const { strFromU8, unzipSync } = await import('fflate');
  try {
    const found = unzipSync(new Uint8Array(await file.arrayBuffer()), {
      filter: ({ name, originalSize }) => /\.(?:json|ya?ml)$/i.test(name) && originalSize <= MOST_BYTES,
    });
    return Object.entries(found).map(([path, bytes]) => ({
      name: path.slice(path.lastIndexOf('/') + 1),
      text: strFromU8(bytes),
    }));
  } catch {
    // Read as a flow, it is refused by its name.
    return textOf(file);
  }
}

/** Imports the valid files; an id that is taken gets a number. */
export async function importFiles(
  files: readonly FileText[],
  flows: readonly FlowSummary[],
): Promise<{ imported: string[]; refused: Refusal[] }> {
  const taken = new Set(flows.map(({ id }) => id));
  const imported: string[] = [];
  const refused: Refusal[] = [];
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
