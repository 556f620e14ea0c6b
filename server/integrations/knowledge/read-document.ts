import { type Cell, type DocumentService, WeftError } from '#engine';
import type { DocumentPart } from '#shared/split-document.ts';
import { charsetOf, encodingOf, knownEncoding } from '#shared/text-encoding.ts';
import type { ReadDocument } from './store.ts';

/** Largest document, in bytes. */
export const MAX_DOCUMENT_BYTES = 50_000_000;
const MAX_PAGES = 10_000;
/** Rows of a table that form a part of their own, so that a table of a million rows is not one text. */
const ROWS_A_PART = 500;

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const DOCX = `${OFFICE}.wordprocessingml.document`;
const XLSX = `${OFFICE}.spreadsheetml.sheet`;

const BY_EXTENSION: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  docx: DOCX,
  xlsx: XLSX,
  html: 'text/html',
  htm: 'text/html',
  csv: 'text/csv',
  md: 'text/markdown',
  markdown: 'text/markdown',
  txt: 'text/plain',
  json: 'application/json',
  xml: 'application/xml',
};

/**
 * The media type of a document, by its first bytes, its name and its declared type; with the charset of the declared type, if it
 * has one.
 */
export function typeOfDocument(name: string, content: Uint8Array, claimed = ''): string {
  const type = mediaTypeOf(name, content, claimed);
  const charset = TEXTS.test(type) ? knownEncoding(charsetOf(claimed)) : undefined;
  return charset === undefined || charset === 'utf-8' ? type : `${type}; charset=${charset}`;
}

function mediaTypeOf(name: string, content: Uint8Array, claimed: string): string {
  const start = new TextDecoder('latin1').decode(content.subarray(0, 256));
  if (start.startsWith('%PDF-')) return 'application/pdf';
  const byName = BY_EXTENSION[name.slice(name.lastIndexOf('.') + 1).toLowerCase()];
  if (byName !== undefined) return byName;
  const declared = claimed.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (declared !== '' && declared !== 'application/octet-stream') return declared;
  return /^\s*(?:<!doctype html|<html)/i.test(start) ? 'text/html' : 'text/plain';
}

/** The text of a document, in parts. Throws `knowledge_unsupported`, and the errors of `documents`. */
export async function readDocument(
  { type: declared, content }: { readonly type: string; readonly content: Uint8Array },
  documents: DocumentService,
  signal: AbortSignal,
): Promise<ReadDocument> {
  const maxBytes = MAX_DOCUMENT_BYTES;
  const whole = (text: string): ReadDocument => ({ parts: [{ text }], pages: null, unread: [] });
  const markup = { format: 'markdown', charset: charsetOf(declared), maxBytes } as const;
  const type = declared.split(';', 1)[0] ?? '';
  switch (type) {
    case 'application/pdf': {
      const {
        text,
        pages,
        pageCount,
        unread = [],
      } = await documents.pdf(once(content), { maxPages: MAX_PAGES, maxBytes }, signal);
      return { parts: pages ?? [{ text }], pages: pageCount ?? pages?.length ?? null, unread };
    }
    case DOCX:
      return whole((await documents.docx(once(content), markup, signal)).text);
    case 'text/html':
      return whole((await documents.html(once(content), markup, signal)).text);
    case 'text/csv': {
      const rows = documents.rows(once(content), { format: 'csv', charset: markup.charset }, signal);
      return { parts: await tableParts(rows), pages: null, unread: [] };
    }
    case XLSX:
      return { parts: await workbookParts(content, documents, signal), pages: null, unread: [] };
    default:
      return whole(textOf(content, type, markup.charset));
  }
}

/** The rows of all sheets; if there are several, rows begin with the name of their sheet. */
async function workbookParts(
  content: Uint8Array,
  documents: DocumentService,
  signal: AbortSignal,
): Promise<DocumentPart[]> {
  const maxBytes = MAX_DOCUMENT_BYTES;
  const sheets = await documents.sheets(once(content), { maxBytes }, signal);
  const parts: DocumentPart[] = [];
  for (const [at, name] of sheets.entries()) {
    const options = { format: 'xlsx', sheet: at + 1, maxBytes } as const;
    const rows = documents.rows(once(content), options, signal);
    for (const part of await tableParts(rows, sheets.length > 1 ? name : undefined)) parts.push(part);
  }
  return parts;
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

/** Each row as lines with the column names from the first row, below the name of its sheet. */
async function tableParts(
  groups: AsyncIterable<readonly (readonly Cell[])[]>,
  sheet?: string,
): Promise<DocumentPart[]> {
  const parts: DocumentPart[] = [];
  let columns: readonly string[] | undefined;
  let texts: string[] = [];
  const withSheet = (text: string): string => (sheet === undefined ? text : `Sheet: ${sheet}\n${text}`);
  const flush = (): void => {
    if (texts.length > 0) parts.push({ text: texts.join('\n\n') });
    texts = [];
  };
  for await (const rows of groups)
    for (const row of rows) {
      if (columns === undefined) {
        columns = row.map((cell, at) => (cell === null || cell === '' ? `Column ${at + 1}` : String(cell)));
        continue;
      }
      texts.push(withSheet(rowText(row, columns)));
      if (texts.length === ROWS_A_PART) flush();
    }
  if (parts.length === 0 && texts.length === 0 && columns !== undefined)
    texts.push(withSheet(columns.join('\n')));
  flush();
  return parts;
}

function rowText(row: readonly Cell[], columns: readonly string[]): string {
  return row
    .map((cell, at) => (cell === null || cell === '' ? '' : `${columns[at] ?? `Column ${at + 1}`}: ${cell}`))
    .filter((line) => line !== '')
    .join('\n');
}

const TEXTS = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|toml|[\w.-]+\+(?:json|xml))$)/;

function textOf(content: Uint8Array, type: string, charset: string | undefined): string {
  if (!TEXTS.test(type)) throw unsupported(type);
  const encoding = encodingOf(content, { charset, declares: /\bxml$/.test(type) ? 'xml' : undefined });
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(content);
  } catch {
    throw new WeftError(
      'document_unreadable',
      `The document is not a text in ${encoding.toUpperCase()}; convert it to UTF-8.`,
    );
  }
}

function unsupported(type: string): WeftError {
  return new WeftError(
    'knowledge_unsupported',
    `Documents of the type ${type} cannot be read; send PDF, DOCX, HTML, Markdown, CSV, XLSX, JSON, XML or plain text.`,
  );
}
