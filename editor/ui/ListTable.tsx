import type { KeyboardEventHandler, ReactNode } from 'react';
import { cx } from './cx.ts';
import { sectionTitle } from './styles.ts';

/** A column of a table. */
export interface Column {
  /** Head of the column. */
  readonly name: string;
  /** The name is only read out. */
  readonly hidden?: boolean;
  /** In place of its name: a control. */
  readonly head?: ReactNode;
  /** Its width, and the screen width from which on it is shown. */
  readonly className?: string;
}

interface ListTableProps {
  columns: readonly Column[];
  /** The word for the rows; for tables without a heading. */
  caption?: string;
  /** Number of all rows including the head, if only some of them are rendered. */
  rowCount?: number;
  onKeyDown?: KeyboardEventHandler<HTMLTableElement>;
  /** One or more `<tbody>`. */
  children: ReactNode;
}

/** Styles of a row: its line, its hover look, the padding of its cells. */
export const listRow =
  'border-b border-line align-top last:border-0 hover:bg-surface-2 [&>td]:px-3 [&>td]:py-(--row-padding)';

/** The table of a screen: a frame, a head, and rows with the columns' widths. */
export function ListTable({ columns, caption, rowCount, onKeyDown, children }: ListTableProps) {
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      <table className="w-full table-fixed" aria-rowcount={rowCount} onKeyDown={onKeyDown}>
        {caption !== undefined && <caption className="sr-only">{caption}</caption>}
        <thead className={sectionTitle}>
          <tr className="border-b border-line text-left [&>th]:px-3 [&>th]:py-2 [&>th]:font-medium">
            {columns.map(({ name, hidden, head, className }) => (
              <th key={name} scope="col" className={cx(className)}>
                {head ??
                  (hidden ? (
                    <span className="sr-only">{name}</span>
                  ) : (
                    <span className="block truncate" title={name}>
                      {name}
                    </span>
                  ))}
              </th>
            ))}
          </tr>
        </thead>
        {children}
      </table>
    </div>
  );
}
