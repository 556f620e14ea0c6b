import { ArrowDownUp, FilePlus2, Upload } from 'lucide-react';
import { type KeyboardEvent as ReactKeyboardEvent, useEffect, useRef } from 'react';
import { Button } from '../ui/Button.tsx';
import { countText } from '../ui/format.ts';
import { Menu } from '../ui/Menu.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import type { Sort } from './flow-list.ts';

const SORTS = [
  { value: 'name', label: 'By name' },
  { value: 'changed', label: 'Changed last' },
  { value: 'run', label: 'Ran last' },
] as const satisfies readonly { value: Sort; label: string }[];

interface FlowsHeaderProps {
  search: { query: string; setQuery(query: string): void; sort: Sort; setSort(sort: Sort): void };
  /** Undefined until the flows are loaded. */
  counts: { all: number; shown: number } | undefined;
  onImport(): void;
  onNew(): void;
}

export function FlowsHeader({ search, counts, onImport, onNew }: FlowsHeaderProps) {
  const { query, setQuery, sort, setSort } = search;
  const input = useSlashFocus();
  const onKeyDown = (event: ReactKeyboardEvent): void => {
    if (event.key === 'Escape') setQuery('');
    if (event.key === 'ArrowDown') document.querySelector<HTMLElement>('[data-flow-link]')?.focus();
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <h1 className="mr-auto text-lg font-semibold">
        Flows
        {counts && (
          <span className="ml-2 text-xs font-normal text-text-2">
            {query === '' ? countText(counts.all, 'flow') : `${counts.shown} of ${counts.all}`}
          </span>
        )}
      </h1>
      <SearchInput
        ref={input}
        value={query}
        onValueChange={setQuery}
        label="Search flows ( / )"
        className="w-64 max-md:w-40"
        onKeyDown={onKeyDown}
      />
      <SortMenu sort={sort} onSort={setSort} />
      <Button icon={Upload} onClick={onImport}>
        Import
      </Button>
      <Button variant="primary" icon={FilePlus2} onClick={onNew}>
        New flow
      </Button>
    </div>
  );
}

function SortMenu({ sort, onSort }: { sort: Sort; onSort(sort: Sort): void }) {
  const chosen = SORTS.find(({ value }) => value === sort);
  return (
    <Menu
      trigger={
        <Button variant="ghost" icon={ArrowDownUp}>
          {chosen?.label}
        </Button>
      }
      entries={SORTS.map(({ value, label }) => ({
        id: value,
        label,
        checked: value === sort,
        onSelect: () => onSort(value),
      }))}
    />
  );
}

/** `/` focuses the search field. */
function useSlashFocus() {
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof Element && event.target.closest('input, textarea, [role=dialog]');
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return search;
}
