import { type PageNode, pushChildren } from './page-nodes.ts';
import { tooLarge } from './whole.ts';

/** A cell in its column, counted from 0; further columns and rows that it spans are empty. */
export interface PlacedCell {
  readonly cell: PageNode;
  readonly column: number;
}

/** The most columns that a cell may span, from the HTML standard. */
const MAX_COLUMNS = 1000;
/** The most cells of a table, including empty ones. */
const MAX_CELLS = 2_000_000;

const ROW: ReadonlySet<string> = new Set(['TR']);
const CELL: ReadonlySet<string> = new Set(['TH', 'TD']);
const CAPTION: ReadonlySet<string> = new Set(['CAPTION']);

/** The rows of a table with their cells in columns. Columns in which no cell begins are left out. */
export function placedRows(table: PageNode): PlacedCell[][] {
  /** For each column, the first row that is free again. */
  const freeAt: number[] = [];
  const rows = [...ownParts(table, ROW)].map((row, number) => {
    let column = 0;
    return [...ownParts(row, CELL)].map((cell): PlacedCell => {
      while ((freeAt[column] ?? 0) > number) column++;
      const placed = { cell, column };
      const rowspan = Number(cell.getAttribute('rowspan') ?? 1);
      const free = rowspan === 0 ? Number.POSITIVE_INFINITY : number + spanOf(rowspan);
      const end = column + Math.min(spanOf(Number(cell.getAttribute('colspan') ?? 1)), MAX_COLUMNS);
      for (; column < end; column++) freeAt[column] = free;
      return placed;
    });
  });
  return compact(rows);
}

function spanOf(value: number): number {
  return Number.isFinite(value) ? Math.max(1, Math.trunc(value)) : 1;
}

function compact(rows: PlacedCell[][]): PlacedCell[][] {
  const used = new Set(rows.flatMap((row) => row.map(({ column }) => column)));
  const columns = new Map([...used].toSorted((a, b) => a - b).map((column, at) => [column, at]));
  if (rows.length * columns.size > MAX_CELLS)
    throw tooLarge(`A table has more than ${MAX_CELLS / 1e6} million cells.`);
  return rows.map((row) => row.map(({ cell, column }) => ({ cell, column: columns.get(column) as number })));
}

/** The table in Markdown; `textOf` returns the text of a cell in one line. */
export function tableMarkdown(table: PageNode, textOf: (cell: PageNode) => string): string {
  const rows = placedRows(table);
  const width = Math.max(0, ...rows.map((row) => 1 + (row.at(-1)?.column ?? -1)));
  if (width === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const empty = () => Array.from({ length: width }, () => '');
  const lines = rows.map((row) => {
    const cells = empty();
    for (const { cell, column } of row) cells[column] = textOf(cell).replaceAll('|', '\\|');
    return line(cells);
  });
  const caption = [...ownParts(table, CAPTION)].map((one) => `${textOf(one)}\n\n`).join('');
  return caption + [lines[0], line(empty().map(() => '---')), ...lines.slice(1)].join('\n');
}

/** The elements with these names in document order, without those nested in another one or in a table. */
function* ownParts(of: PageNode, names: ReadonlySet<string>): Generator<PageNode> {
  const open: PageNode[] = [];
  pushChildren(open, of);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (names.has(next.nodeName)) yield next;
    else if (next.nodeName !== 'TABLE') pushChildren(open, next);
  }
}
