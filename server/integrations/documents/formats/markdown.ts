import { parseHTML } from 'linkedom';
import Turndown from 'turndown';
import type { PageNode } from './page-nodes.ts';
import { tableMarkdown } from './page-tables.ts';
import { lineText, plainText } from './plain.ts';

const turndown = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });

turndown.addRule('table', {
  filter: 'table',
  replacement: (_content, given) => {
    const node = given as unknown as PageNode;
    // The outer table contains its text.
    return isInTable(node) ? '' : `\n\n${tableMarkdown(node, lineText)}\n\n`;
  },
});
// `data:` addresses would be longer than the text.
turndown.addRule('image', {
  filter: 'img',
  replacement: (_content, node) => (node as unknown as PageNode).getAttribute('alt') ?? '',
});

/** Schemes of addresses that are safe to open. */
const SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'mailto', 'tel']);

/** The scheme as browsers parse it: they ignore control characters, blanks and line breaks. */
function isOpenable(address: string): boolean {
  const plain = address.replaceAll(/[\p{Cc}\s]/gu, '');
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(plain)?.[1];
  return scheme === undefined || SCHEMES.has(scheme.toLowerCase());
}

// A link whose scheme runs code or opens a local file keeps only its text.
turndown.addRule('unopenable link', {
  filter: (given) => {
    const node = given as unknown as PageNode;
    return node.nodeName === 'A' && !isOpenable(node.getAttribute('href') ?? '');
  },
  replacement: (content) => content,
});

/** The text of HTML, with headings, lists, tables and links in Markdown, or without any marks. */
export function toMarkdown(html: string, format: 'markdown' | 'plain'): string {
  const { document } = parseHTML(`<html><body>${html}</body></html>`);
  if (format === 'plain') return plainText(document.body as unknown as PageNode);
  return turndown.turndown(document.body as unknown as Turndown.Node).trim();
}

function isInTable(node: PageNode): boolean {
  for (let above = node.parentNode; above !== null; above = above.parentNode)
    if (above.nodeName === 'TABLE') return true;
  return false;
}
