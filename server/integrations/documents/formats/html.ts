import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import type { DocumentText, MarkupOptions } from '#engine';
import { DocumentError } from '../protocol.ts';
import { toMarkdown } from './markdown.ts';
import { wholeText } from './decoded.ts';

/** Elements without text for readers. */
const UNREAD = 'script,style,noscript,template,iframe,object,svg,canvas,link,meta';

/** Reads a page: all of it, or its probable article. Nothing in it is executed or fetched. */
export async function readHtml(
  bytes: AsyncIterable<Uint8Array>,
  options: MarkupOptions,
): Promise<DocumentText> {
  const html = await wholeText(bytes, { ...options, declares: 'html' }, options.maxBytes);
  checkDepth(html);
  const { document } = parseHTML(withBody(html));
  for (const element of document.querySelectorAll(UNREAD)) element.remove();
  for (const element of document.querySelectorAll('[hidden],[style]'))
    if (isHidden(element)) element.remove();
  const title = takeTitle(document);
  const article = options.main ? new Readability(document as unknown as Document).parse() : null;
  const content = article?.content ?? document.body?.innerHTML ?? '';
  return { title: article?.title?.trim() || title, text: toMarkdown(content, options.format) };
}

/** Adds a body where its tag is missing: HTML allows that, but the parser does not. */
function withBody(html: string): string {
  if (/<body[\s>]/i.test(html)) return /<html[\s>]/i.test(html) ? html : `<html>${html}</html>`;
  return `<html><body>${html.replaceAll(/<!doctype[^>]*>|<\/?(?:html|head)(?:\s[^>]*)?>/gi, '')}</body></html>`;
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

/** Browsers nest no deeper than 512 levels; the time of the parser grows with the square of the depth. */
const MAX_DEPTH = 2000;
/** Comments and code, in which tags do not count; then the name of a tag. */
const TAG = /<!--[^]*?(?:-->|$)|<(script|style)\b[^]*?(?:<\/\1|$)|<(\/?)([a-z][a-z0-9-]*)/gi;
/** Elements without an end tag, or that end at the next one of their kind. */
const UNNESTED = new Set(
  'area base br col embed hr img input link meta param source track wbr p li dd dt td th tr option optgroup tbody thead tfoot'.split(
    ' ',
  ),
);

/** Throws `document_too_large` for a page that is nested deeper than any real page. */
function checkDepth(html: string): void {
  let depth = 0;
  for (const [, , end, name = ''] of html.matchAll(TAG)) {
    if (name === '' || UNNESTED.has(name.toLowerCase())) continue;
    depth = end === '/' ? Math.max(0, depth - 1) : depth + 1;
    if (depth > MAX_DEPTH)
      throw new DocumentError({
        code: 'document_too_large',
        message: `The page has elements inside of each other for more than ${MAX_DEPTH.toLocaleString('en-US')} levels; remove some of them.`,
      });
  }
}

/** Removes the title from the page: in a fragment it may be anywhere, and it is no part of the text. */
function takeTitle(document: ReturnType<typeof parseHTML>['document']): string | undefined {
  const element = document.querySelector('title');
  element?.remove();
  return element?.textContent?.trim() || undefined;
}
