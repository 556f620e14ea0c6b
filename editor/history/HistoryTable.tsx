import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RunSummary } from '#shared/run-event.ts';
import { type Column, ListTable } from '../ui/ListTable.tsx';
import { HistoryRow } from './HistoryRow.tsx';

const COLUMNS: readonly Column[] = [
  { name: 'Chosen', className: 'w-10', hidden: true },
  { name: 'Status', className: 'w-28 max-sm:w-24' },
  { name: 'Run of', className: 'w-56 max-md:w-44 max-sm:w-auto' },
  { name: 'Started', className: 'w-40 max-md:w-24 max-sm:hidden' },
  { name: 'Time', className: 'w-24 max-md:w-20 max-sm:hidden' },
  { name: 'From', className: 'w-30 max-lg:hidden' },
  { name: 'Error', className: 'max-sm:hidden' },
  { name: 'Actions', className: 'w-12', hidden: true },
];

interface HistoryTableProps {
  rows: readonly RunSummary[];
  /** The name of a flow. */
  nameOf(flow: string): string;
  /** Ids of the selected ones. */
  chosen: readonly string[];
  onChoose(chosen: readonly string[]): void;
  onDelete(run: RunSummary): void;
  /** The end of the list becomes visible. */
  onEnd(): void;
}

/** Height of a row without an error, in pixels; visible rows are measured. */
const ROW_HEIGHT = 41;
/** Extra rows rendered beyond the visible ones. */
const BEYOND = 8;

/** Runs of all flows, newest first; only the visible rows are rendered. */
export function HistoryTable({ rows, nameOf, chosen, onChoose, onDelete, onEnd }: HistoryTableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const virtual = useRowsInView(rows, body);
  const items = virtual.getVirtualItems();
  const margin = virtual.options.scrollMargin;
  const before = (items[0]?.start ?? margin) - margin;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? margin) + margin;
  const isEnd = (items.at(-1)?.index ?? 0) >= rows.length - 1;
  useEffect(() => {
    if (isEnd) onEnd();
  }, [isEnd, rows.length, onEnd]);
  return (
    <ListTable columns={COLUMNS} caption="Runs, newest first" rowCount={rows.length + 1}>
      <tbody ref={body}>
        <Spacer height={before} />
        {items.map(({ index }) => {
          const row = rows[index];
          return (
            row && (
              <HistoryRow
                key={row.run}
                ref={virtual.measureElement}
                index={index}
                row={row}
                name={nameOf(row.flow)}
                isChosen={chosen.includes(row.run)}
                onChoose={(isChosen) =>
                  onChoose(isChosen ? [...chosen, row.run] : chosen.filter((run) => run !== row.run))
                }
                onDelete={() => onDelete(row)}
              />
            )
          );
        })}
        <Spacer height={after} />
      </tbody>
    </ListTable>
  );
}

/** The page scrolls, not the table. */
function useRowsInView(rows: readonly RunSummary[], body: { readonly current: HTMLElement | null }) {
  const [scrollMargin, setMargin] = useState(0);
  useLayoutEffect(() => {
    const page = body.current?.closest('main');
    if (!page || !body.current) return;
    const above = body.current.getBoundingClientRect().top - page.getBoundingClientRect().top;
    setMargin(Math.round(above + page.scrollTop));
  });
  return useVirtualizer({
    count: rows.length,
    getScrollElement: () => body.current?.closest('main') ?? null,
    getItemKey: (index) => rows[index]?.run ?? index,
    estimateSize: () => ROW_HEIGHT,
    overscan: BEYOND,
    scrollMargin,
  });
}

/** Stands for the rows that are not visible. */
function Spacer({ height }: { height: number }) {
  return height > 0 ? <tr aria-hidden style={{ height }} /> : null;
}
