import { useQuery } from '@tanstack/react-query';
import { CalendarClock, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { listFlows } from '../api/flows.ts';
import { SavedViews } from '../lists/SavedViews.tsx';
import { SOURCE_LABELS } from '../runs/run-labels.ts';
import { chip, ChoiceMenu } from '../ui/ChoiceMenu.tsx';
import type { Choice } from '../ui/choices.ts';
import { SearchInput } from '../ui/SearchInput.tsx';
import { type RunFilter, STATUSES, TIMES } from './run-filter.ts';
import { readQuery } from './run-query.ts';

interface HistoryFiltersProps {
  filter: RunFilter;
  onFilter(filter: RunFilter): void;
}

/** One field to search in, chips for what narrows the list, and views that somebody has saved. */
export function HistoryFilters({ filter, onFilter }: HistoryFiltersProps) {
  const flows = useQuery({ queryKey: ['flows'], queryFn: listFlows });
  const set = (part: RunFilter): void => onFilter({ ...filter, ...part });
  const choice = (field: keyof RunFilter, name: string, choices: readonly Choice[]) => (
    <ChoiceMenu
      name={name}
      choices={choices}
      chosen={filter[field] || undefined}
      onChoose={(value) => set({ [field]: value ?? '' })}
    />
  );
  return (
    <search aria-label="Runs" className="flex flex-col gap-2">
      <QueryField filter={filter} onFilter={onFilter} />
      <div role="group" aria-label="Filters" className="flex flex-wrap items-center gap-2">
        {choice(
          'flow',
          'Flow',
          (flows.data ?? []).map(({ id, name }) => ({ value: id, label: name ?? id })),
        )}
        {choice(
          'status',
          'Status',
          STATUSES.map((value) => ({ value })),
        )}
        {choice('source', 'Started by', choicesOf(SOURCE_LABELS))}
        {choice('time', 'Time', choicesOf(TIMES))}
        <Before until={filter.until ?? ''} onUntil={(until) => set({ until })} />
        {filter.code && <Said name="Error code" value={filter.code} onRemove={() => set({ code: '' })} />}
        {filter.value && <Said name="Value" value={filter.value} onRemove={() => set({ value: '' })} />}
        <SavedViews screen="runs" now={filter} onOpen={onFilter} />
      </div>
    </search>
  );
}

function choicesOf(labels: Readonly<Record<string, string | { readonly label: string }>>): Choice[] {
  return Object.entries(labels).map(([value, label]) => ({
    value,
    label: typeof label === 'string' ? label : label.label,
  }));
}

/** Words are searched as they are typed; `code:` and `value:`, and the names of the chips, become chips. */
function QueryField({ filter, onFilter }: HistoryFiltersProps) {
  const searched = filter.text ?? '';
  const [text, setText] = useState(searched);
  // A view that is opened brings other words.
  useEffect(() => setText((typed) => (readQuery(typed).words === searched ? typed : searched)), [searched]);
  const read = (typed: string, isWhole: boolean): void => {
    const query = readQuery(typed, isWhole);
    setText(query.text);
    onFilter({ ...filter, ...query.filter, text: query.words });
  };
  return (
    <SearchInput
      label="Id, flow, error, code:… or value:…"
      value={text}
      onValueChange={(typed) => read(typed, false)}
      onKeyDown={({ key }) => key === 'Enter' && read(text, true)}
      className="w-full max-w-160"
    />
  );
}

/** A field that has no list of values, as a chip that can be removed. */
function Said({ name, value, onRemove }: { name: string; value: string; onRemove(): void }) {
  return (
    <button
      type="button"
      data-on
      className={chip}
      aria-label={`Remove the filter ${name}: ${value}`}
      onClick={onRemove}
    >
      <span className="min-w-0 truncate">
        {name}: <bdi>{value}</bdi>
      </span>
      <X aria-hidden className="size-3.5 shrink-0" />
    </button>
  );
}

/** Jumps to the runs before a time, however many came later. */
function Before({ until, onUntil }: { until: string; onUntil(until: string): void }) {
  return (
    <label className={chip} data-on={until !== ''}>
      <CalendarClock aria-hidden className="size-3.5 shrink-0" />
      Before
      <input
        type="datetime-local"
        aria-label="Started before"
        value={until}
        onChange={(event) => onUntil(event.target.value)}
        className="h-6 bg-transparent text-xs outline-hidden"
      />
    </label>
  );
}
