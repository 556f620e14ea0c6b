import markdownIt from 'markdown-it';
import type { MarkdownOptions } from '#engine';
import { wholeText } from './decoded.ts';

/** CommonMark with tables and strikethrough as HTML. HTML in it becomes text, and links that run code stay text. */
export async function markdownToHtml(
  bytes: AsyncIterable<Uint8Array>,
  { breaks, maxBytes, ...options }: MarkdownOptions,
): Promise<string> {
  const text = await wholeText(bytes, options, maxBytes);
  return markdownIt({ html: false, linkify: true, breaks }).render(text).trim();
}
