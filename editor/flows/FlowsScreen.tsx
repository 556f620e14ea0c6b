import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { FilePlus2, SearchX, Upload, Workflow } from 'lucide-react';
import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { listFlows } from '../api/flows.ts';
import { listRuns } from '../api/runs.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { tellFirstPicture } from '../ui/first-picture.ts';
import { Spinner } from '../ui/Spinner.tsx';
import { lastRunOf, searchFlows, type Sort, sortFlows } from './flow-list.ts';
import { FlowsHeader } from './FlowsHeader.tsx';
import { FlowTable } from './FlowTable.tsx';
import { usePageTitle } from '../ui/use-page-title.ts';
import { HomeBar } from '../session/HomeBar.tsx';
import { ImportArea } from './ImportArea.tsx';

const NewFlowDialog = lazy(() =>
  import('./NewFlowDialog.tsx').then((file) => ({ default: file.NewFlowDialog })),
);

const RUNS_LOOKED_AT = 200;

/** Home: all flows of the server. */
export function FlowsScreen() {
  usePageTitle('Flows');
  const flows = useQuery({ queryKey: ['flows'], queryFn: listFlows, refetchInterval: 10_000 });
  const runs = useQuery({
    queryKey: ['runs', 'last'],
    queryFn: () => listRuns(undefined, RUNS_LOOKED_AT),
    refetchInterval: 5_000,
  });
  useEffect(() => {
    if (!flows.isPending) tellFirstPicture();
  }, [flows.isPending]);
  const [query, setQuery] = useState('');
  const [sort, setSort] = useState<Sort>('name');
  const [isNew, setNew] = useState(false);

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
              <FlowsHeader
                search={{ query, setQuery, sort, setSort }}
                counts={flows.isSuccess ? { all: all.length, shown: shown.length } : undefined}
                onImport={chooseFiles}
                onNew={() => setNew(true)}
              />
              {shown.length > 0 ? (
                <FlowTable flows={shown} all={all} lastRuns={lastRuns} />
              ) : (
                <NoFlows
                  flows={flows}
                  onNew={() => setNew(true)}
                  onImport={chooseFiles}
                  onAll={() => setQuery('')}
                />
              )}
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

interface NoFlowsProps {
  flows: UseQueryResult<FlowSummary[]>;
  onNew(): void;
  onImport(): void;
  onAll(): void;
}

/** Why the list is empty, and what to do. */
function NoFlows({ flows, onNew, onImport, onAll }: NoFlowsProps) {
  if (flows.data?.length === 0) return <FirstSteps onNew={onNew} onImport={onImport} />;
  if (flows.data) {
    return (
      <EmptyState
        icon={SearchX}
        title="No flow matches this search"
        action={<Button onClick={onAll}>Show all</Button>}
      >
        Names, ids, paths, methods and states are searched.
      </EmptyState>
    );
  }
  if (flows.isError) {
    return (
      <EmptyState
        icon={SearchX}
        title="The flows could not be loaded"
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

/** The first screen for people who have no flow yet. */
function FirstSteps({ onNew, onImport }: { onNew(): void; onImport(): void }) {
  const first = useRef<HTMLButtonElement>(null);
  // What nearly everybody does next gets the focus, not sixteen presses of Tab away behind the links of the bar.
  useLayoutEffect(() => {
    if (document.activeElement === document.body) first.current?.focus({ preventScroll: true });
  }, []);
  return (
    <EmptyState
      icon={Workflow}
      title="No flows yet"
      action={
        <>
          <Button ref={first} variant="primary" icon={FilePlus2} onClick={onNew}>
            Create the first flow
          </Button>
          <Button icon={Upload} onClick={onImport}>
            Import a file
          </Button>
        </>
      }
    >
      A flow starts with a trigger, such as a request to an address of your own, and passes data from node to
      node until one of them answers. Draw it, save it, call it. Each flow is one JSON file in the{' '}
      <code>flows</code> folder; a file that you put there appears here automatically.
    </EmptyState>
  );
}
