import { Readability } from '@mozilla/readability';
import type { DocumentText, MarkupOptions } from '#engine';
import { toMarkdown } from './markdown.ts';
import { type Page, readPage } from './page.ts';

/** Elements without text for readers. */
const UNREAD = 'script,style,noscript,template,iframe,object,svg,canvas,link,meta';

/** Reads a page: all of it, or its probable article. Nothing in it is executed or fetched. */
export async function readHtml(
  bytes: AsyncIterable<Uint8Array>,
  options: MarkupOptions,
): Promise<DocumentText> {
  const document = await readPage(bytes, options);
  for (const element of document.querySelectorAll(UNREAD)) element.remove();
  for (const element of document.querySelectorAll('[hidden],[style]'))
    if (isHidden(element)) element.remove();
  const title = takeTitle(document);
  const article = options.main ? new Readability(document as unknown as Document).parse() : null;
  const content = article?.content ?? document.body?.innerHTML ?? '';
  return { title: article?.title?.trim() || title, text: toMarkdown(content, options.format) };
}

/** Whether the element is invisible. A page whose whole body is hidden counts as visible, since its script shows it. */
function isHidden(element: {
  readonly nodeName: string;
  getAttribute(name: string): string | null;
}): boolean {
  if (element.nodeName === 'BODY' || element.nodeName === 'HTML') return false;
  const hidden = element.getAttribute('hidden');
  if (hidden !== null && hidden.toLowerCase() !== 'until-found') return true;
  return /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(
    element.getAttribute('style') ?? '',
  );
}

/** Removes the title from the page: in a fragment it may be anywhere, and it is no part of the text. */
function takeTitle(document: Page): string | undefined {
  const element = document.querySelector('title');
  element?.remove();
  return element?.textContent?.trim() || undefined;
}
