import { ArrowDownUp, FilePlus2, ReplaceAll, Rows2, Rows3, Upload } from 'lucide-react';
import { type KeyboardEvent as ReactKeyboardEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useApp, useAppUi } from '../session/app-context.tsx';
import { Button } from '../ui/Button.tsx';
import { IconButton } from '../ui/IconButton.tsx';
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
  onImport(): void;
  onNew(): void;
}

/** Searches, sorts and adds flows. */
export function FlowsHeader({ search, onImport, onNew }: FlowsHeaderProps) {
  const { query, setQuery, sort, setSort } = search;
  const input = useSlashFocus();
  const onKeyDown = (event: ReactKeyboardEvent): void => {
    if (event.key === 'Escape') setQuery('');
    if (event.key === 'ArrowDown') document.querySelector<HTMLElement>('[data-flow-link]')?.focus();
  };
  return (
    <>
      <SearchInput
        ref={input}
        value={query}
        onValueChange={setQuery}
        label="Search flows ( / )"
        className="w-64 max-lg:w-44 max-md:w-36 max-sm:order-last max-sm:w-full"
        onKeyDown={onKeyDown}
      />
      <SortMenu sort={sort} onSort={setSort} />
      <DensityButton />
      <ReplaceButton />
      <IconButton icon={Upload} label="Import…" onClick={onImport} />
      <Button variant="primary" icon={FilePlus2} onClick={onNew}>
        New flow
      </Button>
    </>
  );
}

const ReplaceInFlows = lazy(() =>
  import('../replace/ReplaceInFlows.tsx').then((file) => ({ default: file.ReplaceInFlows })),
);

function ReplaceButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <IconButton
        icon={ReplaceAll}
        label="Find and replace in all flows…"
        className="max-md:hidden"
        onClick={() => setOpen(true)}
      />
      <Suspense fallback={null}>{isOpen && <ReplaceInFlows onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

/** Rows of one line, or of two. */
function DensityButton() {
  const { ui } = useApp();
  const compact = useAppUi((state) => state.compactRows);
  return (
    <IconButton
      icon={compact ? Rows3 : Rows2}
      label="Compact rows"
      pressed={compact}
      className="max-sm:hidden"
      onClick={() => ui.setState({ compactRows: !compact })}
    />
  );
}

function SortMenu({ sort, onSort }: { sort: Sort; onSort(sort: Sort): void }) {
  const chosen = SORTS.find(({ value }) => value === sort);
  return (
    <Menu
      trigger={<IconButton icon={ArrowDownUp} label={`Sort: ${chosen?.label}`} />}
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
