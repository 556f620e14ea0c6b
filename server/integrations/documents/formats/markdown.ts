import { parseHTML } from 'linkedom';
import Turndown from 'turndown';

/** What is read of the nodes of a page; the server knows no types of browsers. */
interface PageNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly childNodes: Iterable<PageNode>;
  readonly parentNode: PageNode | null;
  getAttribute(name: string): string | null;
}

const TEXT_NODE = 3;

const turndown = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });

turndown.addRule('table', {
  filter: 'table',
  replacement: (_content, given) => {
    const node = given as unknown as PageNode;
    // The outer table shows its text.
    return isInTable(node) ? '' : `\n\n${tableOf(node)}\n\n`;
  },
});
// Addresses of data would be longer than the text.
turndown.addRule('image', {
  filter: 'img',
  replacement: (_content, node) => (node as unknown as PageNode).getAttribute('alt') ?? '',
});

/** Schemes of addresses that a reader may open. */
const SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'mailto', 'tel']);

/** The scheme as browsers read it: without regard to controls, blanks and breaks. */
function isOpenable(address: string): boolean {
  const plain = address.replaceAll(/[\p{Cc}\s]/gu, '');
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(plain)?.[1];
  return scheme === undefined || SCHEMES.has(scheme.toLowerCase());
}

// A scheme that runs something, or opens a file of the reader, leaves the text of its link.
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
  if (format === 'plain') return plainOf(document.body as unknown as PageNode);
  return turndown.turndown(document.body as unknown as Turndown.Node).trim();
}

const BLOCKS = new Set(
  'P DIV SECTION ARTICLE HEADER FOOTER MAIN NAV UL OL LI TABLE TR BLOCKQUOTE PRE HR H1 H2 H3 H4 H5 H6 DL DT DD'.split(
    ' ',
  ),
);

/** Blocks on lines of their own, cells apart by tabs, blanks as a browser shows them. */
function plainOf(body: PageNode): string {
  const parts: string[] = [];
  // Without recursion: a page may nest deeper than the stack goes.
  const open: (PageNode | string)[] = [body];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') parts.push(next);
    else if (next.nodeType === TEXT_NODE) parts.push((next.textContent ?? '').replaceAll(/\s+/g, ' '));
    else if (next.nodeName === 'BR') parts.push('\n');
    else {
      const mark = markAround(next.nodeName);
      open.push(mark);
      pushChildren(open, next);
      open.push(mark);
    }
  }
  return parts
    .join('')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** The first one on top. One by one, since a page may have more of them than a call may have arguments. */
function pushChildren(open: (PageNode | string)[], { childNodes }: PageNode): void {
  for (const child of [...childNodes].reverse()) open.push(child);
}

function markAround(name: string): string {
  if (name === 'TD' || name === 'TH') return '\t';
  return BLOCKS.has(name) ? '\n' : '';
}

function isInTable(node: PageNode): boolean {
  for (let above = node.parentNode; above !== null; above = above.parentNode)
    if (above.nodeName === 'TABLE') return true;
  return false;
}

const ROW: ReadonlySet<string> = new Set(['TR']);
const CELL: ReadonlySet<string> = new Set(['TH', 'TD']);

/** The elements of these names in their order, without those within another one or a table. */
function* ownParts(of: PageNode, names: ReadonlySet<string>): Generator<PageNode> {
  const open: PageNode[] = [];
  pushChildren(open, of);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (names.has(next.nodeName)) yield next;
    else if (next.nodeName !== 'TABLE') pushChildren(open, next);
  }
}

function tableOf(table: PageNode): string {
  const rows = [...ownParts(table, ROW)].map((row) =>
    [...ownParts(row, CELL)].map((cell) =>
      (cell.textContent ?? '').replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim(),
    ),
  );
  const width = Math.max(0, ...rows.map((row) => row.length));
  if (width === 0) return '';
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, i) => cells[i] ?? '').join(' | ')} |`;
  const [head = [], ...rest] = rows;
  return [line(head), line(Array.from({ length: width }, () => '---')), ...rest.map(line)].join('\n');
}
