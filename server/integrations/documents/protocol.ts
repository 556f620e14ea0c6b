import type {
  Cell,
  CsvOptions,
  MarkdownOptions,
  MarkupOptions,
  PdfOptions,
  SelectOptions,
  SheetOptions,
  WorkbookOptions,
  XmlOptions,
} from '#engine';

/** The job of a process with the pieces of its input. */
export type Job =
  | { readonly kind: 'csv'; readonly options: CsvOptions }
  | { readonly kind: 'xlsx'; readonly options: WorkbookOptions }
  | { readonly kind: 'sheets'; readonly options: { readonly maxBytes: number } }
  | { readonly kind: 'workbook'; readonly options: SheetOptions }
  | { readonly kind: 'html'; readonly options: MarkupOptions }
  | { readonly kind: 'select'; readonly options: SelectOptions }
  | { readonly kind: 'markdown'; readonly options: MarkdownOptions }
  | { readonly kind: 'mail'; readonly options: { readonly maxBytes: number } }
  | { readonly kind: 'docx'; readonly options: MarkupOptions }
  | { readonly kind: 'pdf'; readonly options: PdfOptions }
  | { readonly kind: 'xml'; readonly options: XmlOptions };

export type Rows = readonly (readonly Cell[])[];

/** A piece: bytes of a document, or rows of a table. */
export type Piece = Uint8Array | Rows;

/** Messages to the process. Each side requests every piece, so neither gets ahead of the other. */
export type ToReader =
  | { readonly op: 'begin'; readonly job: Job }
  /** Without a piece, the input has ended. */
  | { readonly op: 'piece'; readonly piece: Piece | undefined }
  | { readonly op: 'more' };

/** Messages from the process. After `done`, and after a document that it could not read, it is ready for another job. */
export type FromReader =
  | { readonly op: 'need' }
  | { readonly op: 'piece'; readonly piece: Piece }
  /** `residentMb` is the current memory of the process. */
  | { readonly op: 'done'; readonly result: unknown; readonly residentMb: number }
  | { readonly op: 'failed'; readonly fault: Fault; readonly residentMb: number };

export interface Fault {
  readonly code: 'document_unreadable' | 'document_too_large' | 'bad_params';
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** An error of a document. Other errors in the process count as errors of the document too. */
export class DocumentError extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}
