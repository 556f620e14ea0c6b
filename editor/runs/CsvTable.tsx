import { parse } from 'csv-parse/browser/esm/sync';
import { useMemo } from 'react';
import { tableOf } from '../model/form/table.ts';
import { TableView } from '../ui/TableView.tsx';

interface CsvTableProps {
  name: string;
  /** The beginning of the file. */
  text: string;
  /** There is more of it. */
  isCut: boolean;
}

/** The first rows of a CSV file; its first line names the columns. */
export default function CsvTable({ name, text, isCut }: CsvTableProps) {
  const table = useMemo(() => tableOf(rowsOf(text, isCut)), [text, isCut]);
  if (!table)
    return <p className="text-xs text-text-2">This is no table: it has no line of names with rows below.</p>;
  return (
    <>
      <TableView table={table} label={name} />
      {isCut && <p className="text-xs text-text-2">The first rows of the file; the download has all.</p>}
    </>
  );
}

/** The last row of a text that goes on is not whole. */
function rowsOf(text: string, isCut: boolean): unknown {
  const [first = ''] = text.split('\n', 1);
  const count = (sign: string): number => first.split(sign).length;
  const delimiter = [',', ';', '\t'].sort((a, b) => count(b) - count(a))[0] as string;
  const options = { bom: true, columns: true, delimiter, relax_column_count: true, relax_quotes: true };
  try {
    const rows: unknown[] = parse(isCut ? text.slice(0, text.lastIndexOf('\n') + 1) : text, {
      ...options,
      skip_empty_lines: true,
    });
    return rows;
  } catch {
    return undefined;
  }
}
