import type { KeyboardEvent } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { ShowMore, useShown } from '../lists/ShowMore.tsx';
import { useAppUi } from '../session/app-context.tsx';
import { countText } from '../ui/format.ts';
import { type Column, ListTable } from '../ui/ListTable.tsx';
import { Tick } from '../ui/Tick.tsx';
import { FlowRow } from './FlowRow.tsx';
import type { FlowTimes } from './use-flow-list.ts';

interface FlowTableProps {
  flows: readonly FlowSummary[];
  all: readonly FlowSummary[];
  times: FlowTimes;
  /** Ids of the selected flows. */
  chosen: readonly string[];
  onChoose(chosen: readonly string[]): void;
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
  { name: 'State', className: 'w-32 sm:w-40' },
  { name: 'Trigger', className: 'w-52 max-lg:hidden' },
  { name: 'Last day', className: 'w-40 max-xl:hidden' },
  { name: 'Last run', className: 'w-44 max-md:hidden' },
  { name: 'Next run', className: 'w-28 max-2xl:hidden' },
  { name: 'Changed', className: 'w-28 max-2xl:hidden' },
  { name: 'Actions', className: 'w-12', hidden: true },
];

export function FlowTable({ flows, all, times, chosen, onChoose }: FlowTableProps) {
  const compact = useAppUi((state) => state.compactRows);
  const isAll = chosen.length === flows.length;
  const chosenIds = new Set(chosen);
  const [shown, showMore] = useShown();
  const head = (
    <Tick
      label={isAll ? 'Select none' : 'Select all flows'}
      checked={isAll}
      onCheckedChange={(on) => onChoose(on ? flows.map(({ id }) => id) : [])}
    />
  );
  return (
    <>
      <ListTable
        columns={[{ name: 'Selection', className: 'w-11 max-sm:hidden', head }, ...COLUMNS]}
        onKeyDown={onKeyDown}
      >
        <tbody>
          {flows.slice(0, shown).map((flow) => (
            <FlowRow
              key={flow.file}
              flow={flow}
              all={all}
              times={times}
              compact={compact}
              isChosen={chosenIds.has(flow.id)}
              onChoose={(on) => onChoose(on ? [...chosen, flow.id] : chosen.filter((id) => id !== flow.id))}
            />
          ))}
        </tbody>
      </ListTable>
      {flows.length > shown && (
        <ShowMore all={countText(flows.length, 'flow')} shown={shown} onShow={showMore} />
      )}
    </>
  );
}
