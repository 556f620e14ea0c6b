import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import type { DocumentText, MarkupOptions } from '#engine';
import { toMarkdown } from './markdown.ts';
import { wholeText } from './whole.ts';

/** Elements that hold no text for readers. */
const UNREAD = 'script,style,noscript,template,iframe,object,svg,canvas,link,meta';

/** Reads a page: all of it, or what is probably its article. Nothing in it is executed or fetched. */
export async function readHtml(
  bytes: AsyncIterable<Uint8Array>,
  options: MarkupOptions,
): Promise<DocumentText> {
  const html = await wholeText(bytes, options.encoding ?? 'auto', options.maxBytes);
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
  for (const element of document.querySelectorAll(UNREAD)) element.remove();
  const title = takeTitle(document);
  const article = options.main ? new Readability(document as unknown as Document).parse() : null;
  const content = article?.content ?? document.body?.innerHTML ?? '';
  return { title: article?.title?.trim() || title, text: toMarkdown(content, options.format) };
}

/** The title leaves the page: in a fragment it may stand anywhere, and is no part of its text. */
function takeTitle(document: ReturnType<typeof parseHTML>['document']): string | undefined {
  const element = document.querySelector('title');
  element?.remove();
  return element?.textContent?.trim() || undefined;
}
