import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useDeferredValue, useRef } from 'react';
import { useRuns } from '../session/session.tsx';
import type { RunRow } from '../state/run-store.ts';
import { cx } from '../ui/cx.ts';
import { RunTableRow } from './RunTableRow.tsx';
import { cell, ROW_HEIGHT } from './run-table-styles.ts';
import { useNodeTitle } from '../session/use-node-title.ts';

const COLUMNS = [
  { name: 'Status', className: 'w-28 pl-3' },
  { name: 'Started', className: 'w-24 @2xl:w-44' },
  { name: 'Time', className: 'w-20 text-right' },
  { name: 'Trigger', className: 'w-32 @2xl:w-40' },
  { name: 'From', className: 'w-28 @max-2xl:hidden' },
  { name: 'Error', className: '' },
  { name: 'Page', className: 'w-16 text-right' },
] as const;

interface RunTableProps {
  rows: readonly RunRow[];
  /** Content below the last row. */
  footer: ReactNode;
}

/** The runs as a table; only the visible rows are rendered. */
export function RunTable({ rows: latest, footer }: RunTableProps) {
  // Hundreds of runs per second must not slow down typing.
  const rows = useDeferredValue(latest);
  const box = useRef<HTMLDivElement>(null);
  const shown = useRuns((state) => state.shown?.id);
  const opening = useRuns((state) => state.opening);
  const title = useNodeTitle();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 6,
  });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div ref={box} className="min-h-0 flex-1 overflow-y-auto">
      <table aria-rowcount={rows.length + 1} className="w-full table-fixed border-collapse text-xs">
        <caption className="sr-only">Runs of this flow, newest first</caption>
        <thead>
          <tr className="sticky top-0 z-1 bg-surface-2 text-left text-text-2">
            {COLUMNS.map(({ name, className }) => (
              <th key={name} scope="col" className={cx(cell, 'font-medium', className)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height={before} />
          {items.map(({ index }) => {
            const row = rows[index];
            return (
              row && (
                <RunTableRow
                  key={row.run}
                  row={row}
                  index={index + 2}
                  title={title}
                  shown={row.run === shown}
                  opening={row.run === opening}
                />
              )
            );
          })}
          <Spacer height={after} />
        </tbody>
      </table>
      {footer}
    </div>
  );
}

/** Stands for the rows that are not visible. */
function Spacer({ height }: { height: number }) {
  return height > 0 ? <tr aria-hidden style={{ height }} /> : null;
}
