import type { KeyboardEvent } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { type Column, ListTable } from '../ui/ListTable.tsx';
import { FlowRow } from './FlowRow.tsx';

interface FlowTableProps {
  flows: readonly FlowSummary[];
  all: readonly FlowSummary[];
  lastRuns: ReadonlyMap<string, RunSummary>;
}

/** The up and down keys move from flow to flow. */
function onKeyDown(event: KeyboardEvent<HTMLTableElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const isLink = event.target instanceof Element && event.target.matches('[data-flow-link]');
  if (step === undefined || !isLink) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-flow-link]')];
  const next = links[links.indexOf(event.target as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

const COLUMNS: readonly Column[] = [
  { name: 'Flow' },
  { name: 'State', className: 'w-32 sm:w-44 xl:w-54' },
  { name: 'Trigger', className: 'w-60 max-lg:hidden' },
  { name: 'Last run', className: 'w-52 max-sm:hidden' },
  { name: 'Changed', className: 'w-30 max-xl:hidden' },
  { name: 'Actions', className: 'w-12', hidden: true },
];

export function FlowTable({ flows, all, lastRuns }: FlowTableProps) {
  return (
    <ListTable columns={COLUMNS} onKeyDown={onKeyDown}>
      <tbody>
        {flows.map((flow) => (
          <FlowRow key={flow.file} flow={flow} all={all} lastRun={lastRuns.get(flow.id)} />
        ))}
      </tbody>
    </ListTable>
  );
}
