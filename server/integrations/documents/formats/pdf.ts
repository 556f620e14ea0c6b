import { getDocumentProxy, getMeta } from 'unpdf';
import type { DocumentText, PdfOptions } from '#engine';
import { DocumentError } from '../protocol.ts';
import { type Annotation, pageText, type TextItem } from './pdf-lines.ts';
import { checkText, MAX_UNPACKED, unpacksTooMuch, whole } from './whole.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Reads the text of a PDF page by page; a page that cannot be read is reported and left out. Scanned pages have no text. */
export async function readPdf(bytes: AsyncIterable<Uint8Array>, options: PdfOptions): Promise<DocumentText> {
  const tooMuch = countUnpacked(MAX_UNPACKED);
  return Promise.race([read(bytes, options), tooMuch]);
}

const Unpacking = globalThis.DecompressionStream;

/**
 * Rejects when the streams that are unpacked from now on have more bytes in total. The library unpacks most of them with the
 * standard decompression, and the others with its own code, which only the memory of the process limits.
 */
function countUnpacked(most: number): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  let bytes = 0;
  const count = async (
    piece: Uint8Array,
    next: TransformStreamDefaultController<Uint8Array>,
  ): Promise<void> => {
    bytes += piece.length;
    if (bytes <= most) return next.enqueue(piece);
    reject(unpacksTooMuch());
    // The stream stalls here: after an error the library would begin again with its own code.
    await new Promise(() => {});
  };
  globalThis.DecompressionStream = class {
    readonly readable: ReadableStream;
    readonly writable: WritableStream;

    constructor(format: ConstructorParameters<typeof Unpacking>[0]) {
      const { readable, writable } = new Unpacking(format);
      this.readable = readable.pipeThrough(new TransformStream({ transform: count }));
      this.writable = writable;
    }
  };
  return promise;
}

async function read(bytes: AsyncIterable<Uint8Array>, options: PdfOptions): Promise<DocumentText> {
  const pdf = await opened(await whole(bytes, options.maxBytes), options.password);
  const pages: { page: number; text: string }[] = [];
  const unread: number[] = [];
  const last = Math.min(pdf.numPages, options.maxPages);
  for (let number = 1; number <= last; number++) {
    try {
      pages.push({ page: number, text: await textOf(pdf, number) });
    } catch {
      unread.push(number);
    }
  }
  return checkText({
    title: await titleOf(pdf),
    text: pages.map(({ text }) => text).join('\n\n'),
    pages,
    pageCount: pdf.numPages,
    unread,
  });
}

async function opened(file: Uint8Array, password: string | undefined): Promise<Pdf> {
  try {
    // A copy: the library transfers the buffer.
    return await getDocumentProxy(Uint8Array.from(file), {
      ...(password !== undefined && { password }),
      verbosity: 0,
      isEvalSupported: false,
      stopAtErrors: false,
    });
  } catch (error) {
    const { name, message } = error as Error;
    const why = name === 'PasswordException' ? 'it needs another `password`' : message;
    throw new DocumentError({ code: 'document_unreadable', message: `The PDF cannot be read: ${why}` });
  }
}

async function textOf(pdf: Pdf, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  const annotations = (await page.getAnnotations()) as Annotation[];
  page.cleanup();
  return pageText(
    items.filter((item): item is typeof item & TextItem => 'str' in item),
    annotations,
  );
}

async function titleOf(pdf: Pdf): Promise<string | undefined> {
  const { info } = await getMeta(pdf).catch(() => ({ info: {} as Record<string, unknown> }));
  const title = info['Title'];
  return typeof title === 'string' && title.trim() !== '' ? title.trim() : undefined;
}
