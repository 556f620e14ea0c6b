import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listFlows } from '../api/flows.ts';
import { SOURCES } from '../runs/run-labels.ts';
import { Input } from '../ui/Input.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { Select, type SelectOption } from '../ui/Select.tsx';
import { type RunFilter, STATUSES, TIMES } from './run-filter.ts';

interface HistoryFiltersProps {
  filter: RunFilter;
  onFilter(filter: RunFilter): void;
}

/** Stands for all of them as a choice. No searchable value has this name. */
const ANY = '*';

/** The search filter. */
export function HistoryFilters({ filter, onFilter }: HistoryFiltersProps) {
  const flows = useQuery({ queryKey: ['flows'], queryFn: listFlows });
  const set = (part: RunFilter): void => onFilter({ ...filter, ...part });
  const choice = (field: keyof RunFilter, label: string, options: readonly SelectOption<string>[]) => (
    <Select
      label={label}
      value={filter[field] ?? ANY}
      options={options}
      onValueChange={(value) => set({ [field]: value === ANY ? '' : value })}
      className="min-w-34 flex-1"
    />
  );
  return (
    <search aria-label="Runs" className="flex flex-wrap items-center gap-2">
      <SearchInput
        label="Id, flow or error"
        value={filter.text ?? ''}
        onValueChange={(text) => set({ text })}
        className="min-w-50 flex-2"
      />
      <ValueSearch key={filter.value ?? ''} value={filter.value ?? ''} onValue={(value) => set({ value })} />
      {choice('flow', 'Flow', [
        { value: ANY, label: 'All flows' },
        ...(flows.data ?? []).map(({ id, name }) => ({ value: id, label: name ?? id })),
      ])}
      {choice('status', 'Status', [
        { value: ANY, label: 'Any status' },
        ...STATUSES.map((status) => ({ value: status, label: status })),
      ])}
      {choice('source', 'Started by', [
        { value: ANY, label: 'Started by anything' },
        ...Object.entries(SOURCES).map(([value, label]) => ({ value, label })),
      ])}
      {choice('time', 'Time', [
        { value: ANY, label: 'Any time' },
        ...Object.entries(TIMES).map(([value, { label }]) => ({ value, label })),
      ])}
      <div className="w-36">
        <Input
          aria-label="Error code"
          placeholder="Error code"
          mono
          maxLength={64}
          value={filter.code ?? ''}
          onValueChange={(code) => set({ code: code.trim() })}
        />
      </div>
    </search>
  );
}

/** Searches on Enter or when the field is left, since the server must look into each run. */
function ValueSearch({ value, onValue }: { value: string; onValue(value: string): void }) {
  const [text, setText] = useState(value);
  const ask = (): void => {
    if (text !== value) onValue(text);
  };
  return (
    <SearchInput
      label="Value of an input or output"
      value={text}
      onValueChange={(next) => {
        setText(next);
        if (next === '' && value !== '') onValue('');
      }}
      onKeyDown={(event) => event.key === 'Enter' && ask()}
      onBlur={ask}
      className="min-w-50 flex-2"
    />
  );
}
