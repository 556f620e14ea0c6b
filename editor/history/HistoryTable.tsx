import type { RunSummary } from '#shared/run-event.ts';
import { type Column, ListTable } from '../ui/ListTable.tsx';
import { HistoryRow } from './HistoryRow.tsx';

const COLUMNS: readonly Column[] = [
  { name: 'Chosen', className: 'w-10', hidden: true },
  { name: 'Status', className: 'w-28' },
  { name: 'Flow', className: 'w-56 max-md:w-44' },
  { name: 'Started', className: 'w-40 max-md:w-24' },
  { name: 'Time', className: 'w-24 max-md:w-20' },
  { name: 'From', className: 'w-30 max-lg:hidden' },
  { name: 'Error' },
  { name: 'Actions', className: 'w-12', hidden: true },
];

interface HistoryTableProps {
  rows: readonly RunSummary[];
  /** What a flow is called. */
  nameOf(flow: string): string;
  /** Ids of the chosen ones. */
  chosen: readonly string[];
  onChoose(chosen: readonly string[]): void;
  onDelete(run: RunSummary): void;
}

/** Runs of all flows, newest first. */
export function HistoryTable({ rows, nameOf, chosen, onChoose, onDelete }: HistoryTableProps) {
  return (
    <ListTable columns={COLUMNS} caption="Runs, newest first">
      <tbody>
        {rows.map((row) => (
          <HistoryRow
            key={row.run}
            row={row}
            name={nameOf(row.flow)}
            isChosen={chosen.includes(row.run)}
            onChoose={(isChosen) =>
              onChoose(isChosen ? [...chosen, row.run] : chosen.filter((run) => run !== row.run))
            }
            onDelete={() => onDelete(row)}
          />
        ))}
      </tbody>
    </ListTable>
  );
}
