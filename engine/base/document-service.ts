/** A cell of a table. Times are texts (ISO 8601). */
export type Cell = string | number | boolean | null;

/** How a document that is a text is decoded. */
interface TextOptions {
  /** By default the encoding of its byte order mark, of `charset` or of its own declaration, otherwise UTF-8. */
  readonly encoding?: string | undefined;
  /** The charset of the Content-Type with which it was sent. */
  readonly charset?: string | undefined;
}

/** How a text of rows is read: RFC 4180 with what real files add. */
export interface CsvOptions extends TextOptions {
  readonly format: 'csv';
  /** By default the delimiter of its line `sep=`, otherwise the likeliest one. */
  readonly delimiter?: string | undefined;
  /** By default `"`. */
  readonly quote?: '"' | "'" | 'none' | undefined;
  /** How a quote within quotes is written: by default twice. */
  readonly escape?: 'double' | 'backslash' | undefined;
  /** Whether a field with misplaced quotes is read verbatim instead of being an error. */
  readonly relaxed?: boolean | undefined;
  /** Lines that begin with it are no rows. */
  readonly comment?: string | undefined;
  /** Whether blanks around fields are left out. */
  readonly trim?: boolean | undefined;
  /** The first line of the table, counted from 1. */
  readonly firstRow?: number | undefined;
}

/** How one sheet of an Excel workbook is read. */
export interface WorkbookOptions {
  readonly format: 'xlsx';
  /** A name, or a number counted from 1; by default the first one. */
  readonly sheet?: string | number | undefined;
  /** The first row of the table, counted from 1. */
  readonly firstRow?: number | undefined;
  /** Cells outside are not read: `B2:F40`, or whole columns `B:F`. */
  readonly range?: string | undefined;
  /** The largest workbook, in bytes. */
  readonly maxBytes: number;
}

/** A CSV may be of any size. */
export type RowOptions = CsvOptions | WorkbookOptions;

/** How a workbook is written. */
export interface SheetOptions {
  /** The sheet's name. */
  readonly sheet: string;
}

/** How a page becomes text. */
export interface MarkupOptions extends TextOptions {
  readonly format: 'markdown' | 'plain';
  /** Reads only the probable article of the page. */
  readonly main?: boolean;
  readonly maxBytes: number;
}

/** A part of a page to read. */
export interface PagePart {
  readonly name: string;
  /** A CSS selector; an empty one is the element itself. */
  readonly selector: string;
  readonly take: 'text' | 'html' | 'attribute';
  /** The name of the attribute that is taken. */
  readonly attribute?: string | undefined;
  /** `all` reads a list of every element that matches, `first` one value or null. */
  readonly count: 'first' | 'all';
}

/** Which parts of a page are read, and into which fields. */
export interface SelectOptions extends TextOptions {
  /** A CSS selector: the parts are read below each element that matches it, into a list. */
  readonly rows?: string | undefined;
  readonly fields: readonly PagePart[];
  readonly maxBytes: number;
}

/** How Markdown becomes HTML. */
export interface MarkdownOptions extends TextOptions {
  /** Whether a single line break ends the line. */
  readonly breaks: boolean;
  readonly maxBytes: number;
}

/** A mail as its sender wrote it. */
export interface MailContent {
  readonly messageId: string | null;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
  readonly subject: string;
  readonly from: MailAddress | null;
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  readonly replyTo: readonly MailAddress[];
  /** ISO 8601; null if the mail has none that can be read. */
  readonly date: string | null;
  /** The plain text; made from the HTML if the mail has no other. */
  readonly text: string;
  readonly html: string | null;
  readonly attachments: readonly {
    readonly name: string;
    readonly type: string;
    readonly content: Uint8Array;
  }[];
}

/** A sender or recipient of a message; the name is empty where there is none. */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** The value of a part of a page: null where nothing matches, a list where the part asks for all matches. */
export type PageValue = string | null | readonly string[];

/** How the text of a PDF is read. */
export interface PdfOptions {
  readonly password?: string | undefined;
  /** Pages after these are not read. */
  readonly maxPages: number;
  readonly maxBytes: number;
}

/** How XML becomes a value. */
export interface XmlOptions extends TextOptions {
  /** Whether attributes become fields, with `@` before their name. */
  readonly attributes: boolean;
  /** The treatment of namespace prefixes. */
  readonly prefixes: 'keep' | 'remove';
  /** Elements that are lists even where there is only one. */
  readonly lists: readonly string[];
  /** Elements whose content stays markup if their `type` is `xhtml`, as in Atom. */
  readonly xhtml?: readonly string[] | undefined;
  readonly maxBytes: number;
}

/** The text of a document. */
export interface DocumentText {
  readonly title: string | undefined;
  readonly text: string;
  /** For a PDF: the pages that were read, counted from 1. */
  readonly pages?: readonly { readonly page: number; readonly text: string }[];
  /** All pages that it has. */
  readonly pageCount?: number;
  /** Pages that could not be read. */
  readonly unread?: readonly number[];
}

/**
 * Reads and writes documents outside of the server process, so that a hostile one does no harm. All methods throw
 * `document_unreadable`, `document_too_large` (above the limit, or too large for the memory of a document), `overloaded` (too
 * many documents at once), and the errors of the content or the rows.
 */
export interface DocumentService {
  /** Rows as lists of cells, in batches on demand. */
  rows(
    content: AsyncIterable<Uint8Array>,
    options: RowOptions,
    signal: AbortSignal,
  ): AsyncIterable<readonly (readonly Cell[])[]>;
  /** The names of the sheets of a workbook, in their order. */
  sheets(
    content: AsyncIterable<Uint8Array>,
    options: { readonly maxBytes: number },
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** A workbook (XLSX) with one sheet of these rows. */
  workbook(
    rows: AsyncIterable<readonly (readonly Cell[])[]>,
    options: SheetOptions,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>;
  html(
    content: AsyncIterable<Uint8Array>,
    options: MarkupOptions,
    signal: AbortSignal,
  ): Promise<DocumentText>;
  /** Parts of a page by name, of each row if there are rows. Throws `bad_params` for what is no selector. */
  select(
    content: AsyncIterable<Uint8Array>,
    options: SelectOptions,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, PageValue>> | readonly Readonly<Record<string, PageValue>>[]>;
  /** Markdown as HTML, without HTML that stands in it. */
  markdown(
    content: AsyncIterable<Uint8Array>,
    options: MarkdownOptions,
    signal: AbortSignal,
  ): Promise<string>;
  /** A mail (RFC 5322, MIME) with its texts and files. */
  mail(
    content: AsyncIterable<Uint8Array>,
    options: { readonly maxBytes: number },
    signal: AbortSignal,
  ): Promise<MailContent>;
  docx(
    content: AsyncIterable<Uint8Array>,
    options: MarkupOptions,
    signal: AbortSignal,
  ): Promise<DocumentText>;
  pdf(content: AsyncIterable<Uint8Array>, options: PdfOptions, signal: AbortSignal): Promise<DocumentText>;
  /** JSON; attributes and texts stay texts. */
  xml(content: AsyncIterable<Uint8Array>, options: XmlOptions, signal: AbortSignal): Promise<unknown>;
}
