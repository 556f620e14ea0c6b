import type { KeyboardEvent } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { sectionTitle } from '../ui/styles.ts';
import { FlowRow } from './FlowRow.tsx';

interface FlowTableProps {
  flows: readonly FlowSummary[];
  all: readonly FlowSummary[];
  lastRuns: ReadonlyMap<string, RunSummary>;
}

/** Up and down go from flow to flow. */
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

export function FlowTable({ flows, all, lastRuns }: FlowTableProps) {
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      <table className="w-full table-fixed" onKeyDown={onKeyDown}>
        <thead className={sectionTitle}>
          <tr className="border-b border-line text-left [&>th]:px-3 [&>th]:py-2 [&>th]:font-semibold">
            <th scope="col">Flow</th>
            <th scope="col" className="w-44 xl:w-54">
              State
            </th>
            <th scope="col" className="w-60 max-lg:hidden">
              Trigger
            </th>
            <th scope="col" className="w-52">
              Last run
            </th>
            <th scope="col" className="w-30 max-xl:hidden">
              Changed
            </th>
            <th scope="col" className="w-12">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {flows.map((flow) => (
            <FlowRow key={flow.file} flow={flow} all={all} lastRun={lastRuns.get(flow.id)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
