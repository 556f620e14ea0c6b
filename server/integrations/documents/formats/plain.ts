import { type PageNode, pushChildren } from './page-nodes.ts';
import { placedRows } from './page-tables.ts';

const TEXT_NODE = 3;

const BLOCKS = new Set(
  'P DIV SECTION ARTICLE ASIDE HEADER FOOTER MAIN NAV ADDRESS FIGURE FIGCAPTION FORM FIELDSET LEGEND OPTION DETAILS SUMMARY DIALOG MENU UL OL LI TABLE CAPTION TR BLOCKQUOTE PRE HR H1 H2 H3 H4 H5 H6 DL DT DD'.split(
    ' ',
  ),
);

/** The text of a page: blocks on lines of their own, cells separated by tabs, blanks as a browser shows them. */
export function plainText(body: PageNode): string {
  const parts: string[] = [];
  const tabs = new Map<PageNode, number>();
  // Without recursion: a page may be nested deeper than the stack.
  const open: (PageNode | string)[] = [body];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') parts.push(next);
    else if (next.nodeType === TEXT_NODE) parts.push((next.textContent ?? '').replaceAll(/\s+/g, ' '));
    else if (next.nodeName === 'BR') parts.push('\n');
    else {
      if (next.nodeName === 'TABLE') noteTabs(tabs, next);
      const mark = BLOCKS.has(next.nodeName) ? '\n' : '';
      open.push(mark);
      pushChildren(open, next);
      open.push(mark + '\t'.repeat(tabs.get(next) ?? 0));
    }
  }
  return parts
    .join('')
    .split('\n')
    .map((line) =>
      line
        .replace(/^ +/, '')
        .trimEnd()
        .replaceAll(/ *\t */g, '\t'),
    )
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** The number of tabs before each cell of a table: one for each column since the previous cell. */
function noteTabs(tabs: Map<PageNode, number>, table: PageNode): void {
  for (const row of placedRows(table))
    for (const [i, { cell, column }] of row.entries()) tabs.set(cell, column - (row[i - 1]?.column ?? 0));
}

/** The text in one line. */
export function lineText(of: PageNode): string {
  return plainText(of).replaceAll(/\s+/g, ' ');
}
