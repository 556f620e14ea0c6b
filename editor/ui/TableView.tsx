import { type DragEvent, useState } from 'react';
import { writtenDirectionMarks } from '#shared/direction-marks.ts';
import { briefly } from '../model/expression/source-members.ts';
import type { Table } from '../model/form/table.ts';
import { Button } from './Button.tsx';
import { type DraggedPath, endPathDrag, startPathDrag } from './path-drag.ts';

const PAGE = 100;

/** A cell; without a row the whole column, without a column the whole row. */
export interface TablePlace {
  readonly row?: number;
  readonly column?: string;
}

interface TableViewProps {
  table: Table;
  label: string;
  /** Makes columns, rows and cells draggable: what reads a column, a row, or a cell. */
  dragOf?: ((at: TablePlace) => DraggedPath) | undefined;
}

/** Objects as rows. Cells show texts as they are and other values in short form. */
export function TableView({ table, label, dragOf }: TableViewProps) {
  const drag = dragsWith(dragOf);
  const [shown, setShown] = useState(PAGE);
  const { columns, rows, more } = table;
  return (
    <>
      <div
        role="region"
        aria-label={`${label} as a table`}
        // Can be scrolled with the keyboard.
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-md border border-line"
      >
        <table className="w-full border-collapse text-left text-xs">
          <thead className="sticky top-0 bg-surface-2">
            <tr>
              <th scope="col" className="px-2 py-1 font-medium text-text-2">
                #
              </th>
              {columns.map((column) => (
                <th
                  key={column}
                  scope="col"
                  {...drag({ column })}
                  className="px-2 py-1 font-mono font-medium whitespace-nowrap"
                >
                  {writtenDirectionMarks(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, i) => (
              <Row key={i} {...{ row, i, columns, drag }} />
            ))}
          </tbody>
        </table>
      </div>
      {(more > 0 || rows.length > shown) && (
        <div className="flex items-center gap-2 text-xs text-text-2">
          {rows.length > shown && (
            <Button size="sm" onClick={() => setShown(shown + PAGE)}>
              Show {Math.min(PAGE, rows.length - shown)} more of {rows.length}
            </Button>
          )}
          {more > 0 && <span>{more} more columns: shown as JSON.</span>}
        </div>
      )}
    </>
  );
}

function cellText(value: unknown, length: number): string {
  if (typeof value !== 'string') return briefly(value, length);
  return writtenDirectionMarks(value.length > length ? `${value.slice(0, length)}…` : value);
}

type Drag = ReturnType<typeof dragsWith>;

function dragsWith(dragOf: TableViewProps['dragOf']) {
  return (at: TablePlace) =>
    dragOf && {
      draggable: true,
      onDragStart: (event: DragEvent) => startPathDrag(event, dragOf(at)),
      onDragEnd: endPathDrag,
    };
}

interface RowProps {
  row: Readonly<Record<string, unknown>>;
  i: number;
  columns: readonly string[];
  drag: Drag;
}

function Row({ row, i, columns, drag }: RowProps) {
  return (
    <tr className="border-t border-line">
      <td className="px-2 py-1 text-text-2 tabular-nums" {...drag({ row: i })}>
        {i}
      </td>
      {columns.map((column) => (
        <td
          key={column}
          {...drag({ row: i, column })}
          className="max-w-60 truncate px-2 py-1 font-mono"
          title={cellText(row[column], 400)}
        >
          {cellText(row[column], 80)}
        </td>
      ))}
    </tr>
  );
}
