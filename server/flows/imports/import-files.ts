import type { Catalog } from '#shared/catalog.ts';
import { summaryOf, type ImportSummary } from '#shared/import-report.ts';
import { readJsonBody } from '../../access/http/read-json.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { freeId, idFrom } from '../awel/names.ts';
import type { LeftOut, PackedFile } from '../awel/packages.ts';
import { closeTriggers } from '../awel/sheet.ts';
import { productOf } from './products.ts';
import type { GivenFile, Original, Reader, ReadFlow } from './frame/reading.ts';

/** Limits of files of other products, which may hold all flows of an instance. */
export const MOST_FILE_BYTES = 30_000_000;
const LIMITS = { names: 3_000_000, elements: 6_000_000 };

export interface FilesRead {
  readonly flows: readonly ReadFlow[];
  /** Files of products without a reader, damaged ones, and those of no product. */
  readonly left: readonly LeftOut[];
  readonly summary: ImportSummary;
}

export interface ImportWorld {
  readonly catalog: Catalog;
  /** Ids of flows that exist. */
  readonly taken: ReadonlySet<string>;
  /** The id of the draft, if the files have only one flow. */
  readonly id?: string | undefined;
  /** Whether triggers that anyone may call stay open. */
  readonly open?: boolean;
}

/** A file whose text is read; JSON that is damaged is a file without `json`. Throws `invalid_request` for one that is too large. */
export function givenFile({ path, bytes }: PackedFile): GivenFile {
  if (bytes.length > MOST_FILE_BYTES)
    throw new ServiceError(
      'invalid_request',
      `${path} has ${Math.ceil(bytes.length / 1_000_000)} MB; at most ${MOST_FILE_BYTES / 1_000_000} MB are read. Export fewer flows at once.`,
      { param: 'file' },
    );
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8').replace(/^\uFEFF/, '');
  if (!/^\s*[[{]/.test(text)) return { path, text, json: undefined };
  return { path, text, json: readJsonBody(buffer, LIMITS) };
}

/** Files whose texts are read; those that are damaged or too large are left out. */
export function givenFiles(files: readonly PackedFile[]): {
  readonly given: readonly GivenFile[];
  readonly left: readonly LeftOut[];
} {
  const given: GivenFile[] = [];
  const left: LeftOut[] = [];
  for (const file of files)
    try {
      given.push(givenFile(file));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      left.push({ file: file.path, message: error.message });
    }
  return { given, left };
}

/** Whether the file is one of another product's, which `readFiles` reads or names. */
export function isForeign(file: GivenFile): boolean {
  return productOf(file) !== undefined;
}

/** Whether there is a reader for the file. */
export function isReadable(file: GivenFile): boolean {
  return productOf(file)?.load !== undefined;
}

/**
 * Reads files of other products as drafts, and writes nothing. Flows that call each other find each other by their ids in the other
 * product, if all are among the files.
 */
export async function readFiles(files: readonly GivenFile[], world: ImportWorld): Promise<FilesRead> {
  const left: LeftOut[] = [];
  const found: { reader: Reader; original: Original; id: string }[] = [];
  const taken = new Set(world.taken);
  const idFor = (name: string): string => {
    const id = freeId(idFrom(name, 'imported_flow'), (one) => taken.has(one));
    taken.add(id);
    return id;
  };
  for (const file of files) {
    const product = productOf(file);
    if (product?.load === undefined) {
      left.push({ file: file.path, message: whyNot(product) });
      continue;
    }
    const fault = product.fault?.(file);
    if (fault !== undefined) {
      left.push({ file: file.path, message: fault });
      continue;
    }
    const reader = await product.load();
    for (const original of reader.split(file)) found.push({ reader, original, id: '' });
  }
  const only = found.length === 1 ? world.id : undefined;
  for (const one of found) one.id = only ?? idFor(one.original.name);
  const flowOf = references(found);
  const flows = found.map(({ reader, original, id }) => {
    const made = reader.read(original, { catalog: world.catalog, id, idFor, flowOf });
    return world.open === true ? made : closed(made);
  });
  return { flows, left, summary: summaryOf(flows.map(({ report }) => report)) };
}

/** Triggers that anyone could call ask for an API key. */
function closed(made: ReadFlow): ReadFlow {
  const changes = [...made.report.changes];
  const drafts = made.drafts.map(({ flow: given, layout }) => {
    const shut = closeTriggers(given, { before: undefined, open: false });
    for (const id of shut.closed)
      changes.push({
        what: 'setting',
        effect: 'changed',
        node: given.nodes[id]?.name ?? id,
        message:
          given.nodes[id]?.operator === 'trigger.form'
            ? 'A form is open to anyone, so it is turned off; turn it on when it may be.'
            : 'Anyone could call it; it asks for an API key now, unless you open it.',
      });
    return { flow: shut.flow, layout };
  });
  return { ...made, drafts, report: { ...made.report, changes } };
}

function whyNot(product: { readonly name: string; readonly instead?: string } | undefined): string {
  if (product === undefined) return 'It is no flow of a product that is known here.';
  return `It is an export of ${product.name}, which is not read yet: ${product.instead ?? 'draw the flow anew'}.`;
}

/** By the id there, else by the name if it is the only one with it. */
function references(
  found: readonly { readonly original: Original; readonly id: string }[],
): (reference: string) => string | undefined {
  const keys = new Map<string, string>();
  const names = new Map<string, string | undefined>();
  for (const { original, id } of found) {
    if (original.key !== undefined) keys.set(original.key, id);
    names.set(original.name, names.has(original.name) ? undefined : id);
  }
  return (reference) => keys.get(reference) ?? names.get(reference);
}
