import { parseHTML } from 'linkedom';
import type { MarkupOptions } from '#engine';
import { DocumentError } from '../protocol.ts';
import { wholeText } from './decoded.ts';

export type Page = ReturnType<typeof parseHTML>['document'];

/** Parses a page. Nothing in it is executed or fetched. Throws `document_too_large` for more than `maxBytes`, and for nesting. */
export async function readPage(
  bytes: AsyncIterable<Uint8Array>,
  { maxBytes, ...options }: Omit<MarkupOptions, 'format' | 'main'>,
): Promise<Page> {
  const html = await wholeText(bytes, { ...options, declares: 'html' }, maxBytes);
  checkDepth(html);
  return parseHTML(withBody(html)).document;
}

/** Adds a body where its tag is missing: HTML allows that, but the parser does not. */
function withBody(html: string): string {
  if (/<body[\s>]/i.test(html)) return /<html[\s>]/i.test(html) ? html : `<html>${html}</html>`;
  return `<html><body>${html.replaceAll(/<!doctype[^>]*>|<\/?(?:html|head)(?:\s[^>]*)?>/gi, '')}</body></html>`;
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
