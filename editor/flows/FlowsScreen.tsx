import { useQuery } from '@tanstack/react-query';
import { ArrowDownUp, FilePlus2, SearchX, Upload } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { listFlows } from '../api/flows.ts';
import { listRuns } from '../api/runs.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { Menu } from '../ui/Menu.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import { lastRunOf, type Sort, searchFlows, sortFlows } from './flow-list.ts';
import { FlowTable } from './FlowTable.tsx';
import { HomeBar } from './HomeBar.tsx';
import { ImportArea } from './ImportArea.tsx';

const NewFlowDialog = lazy(() =>
  import('./NewFlowDialog.tsx').then((file) => ({ default: file.NewFlowDialog })),
);

const SORTS = [
  { value: 'name', label: 'By name' },
  { value: 'changed', label: 'Changed last' },
  { value: 'run', label: 'Ran last' },
] as const satisfies readonly { value: Sort; label: string }[];

const RUNS_LOOKED_AT = 200;

/** Home: all flows of the server. */
export function FlowsScreen() {
  const flows = useQuery({ queryKey: ['flows'], queryFn: listFlows, refetchInterval: 10_000 });
  const runs = useQuery({
    queryKey: ['runs', 'last'],
    queryFn: () => listRuns(undefined, RUNS_LOOKED_AT),
    refetchInterval: 5_000,
  });
  const [query, setQuery] = useState('');
  const [sort, setSort] = useState<Sort>('name');
  const [isNew, setNew] = useState(false);
  const search = useSlashFocus();

  const all = useMemo(() => flows.data ?? [], [flows.data]);
  const lastRuns = useMemo(() => lastRunOf(runs.data?.runs ?? []), [runs.data]);
  const shown = useMemo(
    () => sortFlows(searchFlows(all, query), sort, lastRuns),
    [all, query, sort, lastRuns],
  );

  return (
    <ImportArea flows={all}>
      {(chooseFiles) => (
        <>
          <HomeBar />
          <main className="min-h-0 flex-1 overflow-y-auto bg-surface-2">
            <div className="mx-auto flex min-h-full max-w-300 flex-col gap-3 px-4 py-5">
              <div className="flex flex-wrap items-center gap-2">
                <h1 className="mr-auto text-lg font-semibold">
                  Flows
                  {flows.isSuccess && (
                    <span className="ml-2 text-xs font-normal text-text-2">
                      {query === '' ? countText(all.length, 'flow') : `${shown.length} of ${all.length}`}
                    </span>
                  )}
                </h1>
                <SearchInput
                  ref={search}
                  value={query}
                  onValueChange={setQuery}
                  label="Search flows ( / )"
                  className="w-64"
                  onKeyDown={(event) => {
                    if (event.key === 'Escape') setQuery('');
                    if (event.key === 'ArrowDown')
                      document.querySelector<HTMLElement>('[data-flow-link]')?.focus();
                  }}
                />
                <SortMenu sort={sort} onSort={setSort} />
                <Button icon={Upload} onClick={chooseFiles}>
                  Import
                </Button>
                <Button variant="primary" icon={FilePlus2} onClick={() => setNew(true)}>
                  New flow
                </Button>
              </div>
              {flows.isPending && (
                <div className="m-auto text-text-2">
                  <Spinner label="Loading the flows" className="size-6" />
                </div>
              )}
              {flows.isError && !flows.data && (
                <EmptyState
                  icon={SearchX}
                  title="The flows could not be loaded"
                  action={<Button onClick={() => void flows.refetch()}>Try again</Button>}
                >
                  {flows.error.message}
                </EmptyState>
              )}
              {flows.isSuccess && all.length === 0 && (
                <FirstSteps onNew={() => setNew(true)} onImport={chooseFiles} />
              )}
              {all.length > 0 && shown.length === 0 && (
                <EmptyState
                  icon={SearchX}
                  title="No flow fits this search"
                  action={<Button onClick={() => setQuery('')}>Show all</Button>}
                >
                  Names, ids, paths, methods and states are searched.
                </EmptyState>
              )}
              {shown.length > 0 && <FlowTable flows={shown} all={all} lastRuns={lastRuns} />}
            </div>
          </main>
          <Suspense fallback={null}>
            {isNew && <NewFlowDialog flows={all} onClose={() => setNew(false)} />}
          </Suspense>
        </>
      )}
    </ImportArea>
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

/** `/` takes the focus to the search field. */
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
