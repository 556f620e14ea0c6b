import { useMemo } from 'react';
import { CsvReader, likelyDelimiter, namedDelimiter } from '#shared/csv-rows.ts';
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
    return <p className="text-xs text-text-2">This is not a table: it has no header line with rows below.</p>;
  return (
    <>
      <TableView table={table} label={name} />
      {isCut && <p className="text-xs text-text-2">The first rows of the file; the download has all.</p>}
    </>
  );
}

function rowsOf(text: string, isCut: boolean): unknown {
  const [first = ''] = text.split(/\r\n|\n|\r/, 1);
  const delimiter = namedDelimiter(text) ?? likelyDelimiter(first);
  try {
    // The last row of a text that goes on is not whole.
    const [names = [], ...rows] = new CsvReader({ delimiter, relaxed: true }).rows(text, !isCut);
    return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ''])));
  } catch {
    return undefined;
  }
}
