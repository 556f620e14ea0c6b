import type { UseQueryResult } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { HomePage } from '../session/HomePage.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { Spinner } from '../ui/Spinner.tsx';
import { FlowFilters } from './FlowFilters.tsx';
import { FlowsHeader } from './FlowsHeader.tsx';
import { FlowTable } from './FlowTable.tsx';
import { ImportArea } from './ImportArea.tsx';
import { useFlowList } from './use-flow-list.ts';

const NewFlowDialog = lazy(() =>
  import('./NewFlowDialog.tsx').then((file) => ({ default: file.NewFlowDialog })),
);
const FirstPage = lazy(() => import('./FirstPage.tsx').then((file) => ({ default: file.FirstPage })));
const BulkBar = lazy(() => import('./BulkBar.tsx').then((file) => ({ default: file.BulkBar })));

const route = getRouteApi('/');

/** Home: all flows of the server. */
export function FlowsScreen() {
  const list = useFlowList();
  const { all, shown, flows, filter, search } = list;
  const [isNew, setNew] = useNewFlow();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  // A flow that has gone, or is not shown, cannot be meant.
  const selected = useMemo(() => shown.filter(({ id }) => chosen.includes(id)), [shown, chosen]);
  const isNarrowed = search.query !== '' || Object.keys(filter).length > 0;
  const count = isNarrowed ? `${shown.length} of ${all.length}` : countText(all.length, 'flow');
  return (
    <ImportArea flows={all}>
      {(chooseFiles) => (
        <>
          <HomePage
            title="Flows"
            count={flows.isSuccess ? count : undefined}
            isReady={!flows.isPending}
            actions={<FlowsHeader search={search} onImport={chooseFiles} onNew={() => setNew(true)} />}
          >
            {areExamples(all) && <NewHere />}
            {selected.length > 0 ? (
              <Suspense fallback={<div className="h-8" />}>
                <BulkBar selected={selected} all={all} onClear={() => setChosen([])} />
              </Suspense>
            ) : (
              all.length > 0 && <FlowFilters flows={all} filter={filter} onFilter={list.setFilter} />
            )}
            {shown.length > 0 ? (
              <FlowTable
                flows={shown}
                all={all}
                times={list.times}
                chosen={selected.map(({ id }) => id)}
                onChoose={setChosen}
              />
            ) : (
              <NoFlows
                flows={flows}
                onNew={() => setNew(true)}
                onImport={chooseFiles}
                onAll={() => {
                  search.setQuery('');
                  list.setFilter({});
                }}
              />
            )}
          </HomePage>
          <Suspense fallback={null}>
            {isNew && <NewFlowDialog flows={all} onClose={() => setNew(false)} />}
          </Suspense>
        </>
      )}
    </ImportArea>
  );
}

/** The address may ask for it: commands do. */
function useNewFlow(): [isNew: boolean, setNew: (isNew: boolean) => void] {
  const { new: isAsked } = route.useSearch();
  const navigate = route.useNavigate();
  const [isNew, setNew] = useState(false);
  useEffect(() => {
    if (!isAsked) return;
    setNew(true);
    void navigate({ search: {}, replace: true });
  }, [isAsked, navigate]);
  return [isNew, setNew];
}

interface NoFlowsProps {
  flows: UseQueryResult<FlowSummary[]>;
  onNew(): void;
  onImport(): void;
  onAll(): void;
}

/** Why the list is empty, and what to do. */
function NoFlows({ flows, onNew, onImport, onAll }: NoFlowsProps) {
  if (flows.data?.length === 0) {
    return (
      <Suspense fallback={null}>
        <FirstPage onNew={onNew} onImport={onImport} />
      </Suspense>
    );
  }
  if (flows.data) {
    return (
      <EmptyState
        icon={SearchX}
        title="No flow matches"
        steps={[]}
        action={<Button onClick={onAll}>Show all</Button>}
      >
        The search looks at names, ids, folders, tags, paths, methods and states.
      </EmptyState>
    );
  }
  if (flows.isError) {
    return (
      <EmptyState
        icon={SearchX}
        title="The flows could not be loaded"
        steps={[]}
        action={<Button onClick={() => void flows.refetch()}>Try again</Button>}
      >
        {flows.error.message}
      </EmptyState>
    );
  }
  return (
    <div className="m-auto text-text-2">
      <Spinner label="Loading the flows" className="size-6" />
    </div>
  );
}

/** All that a new server has are the examples that came with it. */
const areExamples = (all: readonly FlowSummary[]): boolean =>
  all.length > 0 && all.every(({ file }) => file.startsWith('examples/'));

function NewHere() {
  return (
    <p className="rounded-lg border border-line bg-surface px-4 py-3">
      <span className="font-semibold">What do you want to build?</span> Begin with{' '}
      <Link to="/templates" className="text-accent underline">
        a template
      </Link>
      , or try these examples.
    </p>
  );
}
