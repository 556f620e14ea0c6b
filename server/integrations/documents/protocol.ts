import type {
  Cell,
  CsvOptions,
  MarkupOptions,
  PdfOptions,
  SheetOptions,
  WorkbookOptions,
  XmlOptions,
} from '#engine';

/** What a process is asked to do with the pieces that it is given. */
export type Job =
  | { readonly kind: 'csv'; readonly options: CsvOptions }
  | { readonly kind: 'xlsx'; readonly options: WorkbookOptions }
  | { readonly kind: 'sheets'; readonly options: { readonly maxBytes: number } }
  | { readonly kind: 'workbook'; readonly options: SheetOptions }
  | { readonly kind: 'html'; readonly options: MarkupOptions }
  | { readonly kind: 'docx'; readonly options: MarkupOptions }
  | { readonly kind: 'pdf'; readonly options: PdfOptions }
  | { readonly kind: 'xml'; readonly options: XmlOptions };

export type Rows = readonly (readonly Cell[])[];

/** Bytes of a document, or rows of a table. */
export type Piece = Uint8Array | Rows;

/** To the process. Either side asks for each piece, so neither gets ahead of the other. */
export type ToReader =
  | { readonly op: 'begin'; readonly job: Job }
  /** Without a piece there are no more. */
  | { readonly op: 'piece'; readonly piece: Piece | undefined }
  | { readonly op: 'more' };

/** From the process. After `done`, and after a document that it could not read, it is ready for another job. */
export type FromReader =
  | { readonly op: 'need' }
  | { readonly op: 'piece'; readonly piece: Piece }
  /** `residentMb` is the memory that the process uses now. */
  | { readonly op: 'done'; readonly result: unknown; readonly residentMb: number }
  | { readonly op: 'failed'; readonly fault: Fault; readonly residentMb: number };

export interface Fault {
  readonly code: 'document_unreadable' | 'document_too_large';
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** What is wrong with a document. Anything else that is thrown in the process counts as a bad document too. */
export class DocumentError extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}
