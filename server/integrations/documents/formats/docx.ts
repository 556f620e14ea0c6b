import mammoth from 'mammoth';
import type { DocumentText, MarkupOptions } from '#engine';
import { DocumentError } from '../protocol.ts';
import { checkArchive } from './archive.ts';
import { prepared } from './docx-parts.ts';
import { toMarkdown } from './markdown.ts';
import { checkText, whole } from './whole.ts';

/** Reads a Word document (DOCX): its headings, lists, tables and notes; pictures are left out. */
export async function readDocx(
  bytes: AsyncIterable<Uint8Array>,
  options: MarkupOptions,
): Promise<DocumentText> {
  const file = await whole(bytes, options.maxBytes);
  await checkArchive(file, 'a Word document (DOCX)');
  const html = await convert(Buffer.from(prepared(file)));
  return checkText({ title: undefined, text: toMarkdown(html, options.format) });
}

async function convert(buffer: Buffer): Promise<string> {
  try {
    const noImage = mammoth.images.imgElement(async () => ({ src: '' }));
    return (await mammoth.convertToHtml({ buffer }, { convertImage: noImage })).value;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DocumentError({ code: 'document_unreadable', message: `The document cannot be read: ${why}` });
  }
}
