import type { KeyboardEventHandler, ReactNode } from 'react';
import { cx } from './cx.ts';
import { sectionTitle } from './styles.ts';

export interface Column {
  /** Above the column; for one that needs no words to be seen, only read out. */
  readonly name: string;
  readonly hidden?: boolean;
  /** Its width, and from which width of the screen it is there. */
  readonly className?: string;
}

interface ListTableProps {
  columns: readonly Column[];
  /** What the rows are; for tables that no heading names. */
  caption?: string;
  /** Of all rows with the head, where only some of them are there. */
  rowCount?: number;
  onKeyDown?: KeyboardEventHandler<HTMLTableElement>;
  /** One or more `<tbody>`. */
  children: ReactNode;
}

/** Of a row: its line, its look under the pointer, the room in its cells. */
export const listRow =
  'border-b border-line align-top last:border-0 hover:bg-surface-2 [&>td]:px-3 [&>td]:py-2.5';

/** The table of a screen: a frame, a head, and rows as wide as the columns say. */
export function ListTable({ columns, caption, rowCount, onKeyDown, children }: ListTableProps) {
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      <table className="w-full table-fixed" aria-rowcount={rowCount} onKeyDown={onKeyDown}>
        {caption !== undefined && <caption className="sr-only">{caption}</caption>}
        <thead className={sectionTitle}>
          <tr className="border-b border-line text-left [&>th]:px-3 [&>th]:py-2 [&>th]:font-semibold">
            {columns.map(({ name, hidden, className }) => (
              <th key={name} scope="col" className={cx(className)}>
                {hidden ? <span className="sr-only">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        {children}
      </table>
    </div>
  );
}
