import type { Catalog } from '#shared/catalog.ts';
import type { ForeignDrawing, ImportDraft, ImportReport } from '#shared/import-report.ts';

/** The common part of the readers of other products' files. */

/** A file; `json` is its value if it is JSON. */
export interface GivenFile {
  readonly path: string;
  readonly text: string;
  readonly json: unknown;
}

/** One flow of a file, before it is read. */
export interface Original {
  readonly file: string;
  /** The key by which other flows of the product refer to it. */
  readonly key: string | undefined;
  readonly name: string;
  readonly value: unknown;
}

/** The surroundings of the file that a reader needs. */
export interface Around {
  readonly catalog: Catalog;
  /** The id of the main draft. */
  readonly id: string;
  /** A free id for another draft that the file needs. */
  readonly idFor: (name: string) => string;
  /** The id that a flow of the same import has here, by its key or name there. */
  readonly flowOf: (reference: string) => string | undefined;
}

/** A secret that stood in a file. Its value goes to the store of secrets, and nowhere else. */
export interface FoundSecret {
  readonly name: string;
  readonly value: string;
}

export interface ReadFlow {
  /** The main one first. */
  readonly drafts: readonly ImportDraft[];
  readonly report: ImportReport;
  readonly drawing: ForeignDrawing;
  readonly secrets: readonly FoundSecret[];
  /** Outputs that were pinned there, by node, for the main draft. */
  readonly pins: Readonly<Record<string, unknown>>;
}

/** Reads the files of a product. Neither function throws for any value; what cannot be read becomes part of the report. */
export interface Reader {
  /** The flows in a file that `isOf` has recognised. */
  split(file: GivenFile): Original[];
  /** Pure: the same file gives the same result. */
  read(original: Original, around: Around): ReadFlow;
}

export interface Product {
  readonly name: string;
  /** Whether it wrote the file. */
  isOf(file: GivenFile): boolean;
  /** Why a file of it cannot be read. */
  fault?(file: GivenFile): string | undefined;
  /** Loads its reader; undefined if there is none yet. */
  readonly load: (() => Promise<Reader>) | undefined;
  /** For a product without a reader: the nearest way. */
  readonly instead?: string;
}
