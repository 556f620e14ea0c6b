import { getRouteApi } from '@tanstack/react-router';
import { History, Pause, Radio, SearchX } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import type { RunPage } from '#shared/api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { MissingServers } from '../session/MissingServers.tsx';
import { useRunNames } from '../session/use-flow-names.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { DeleteFitting, DeleteRuns } from './DeleteRuns.tsx';
import { HistoryFilters } from './HistoryFilters.tsx';
import { HistoryTable } from './HistoryTable.tsx';
import { isEmptyFilter, type RunFilter } from './run-filter.ts';
import { SelectionBar } from './SelectionBar.tsx';
import { useHistory } from './use-history.ts';

const route = getRouteApi('/runs');

/** The runs of all flows: searched, opened, compared, exported, deleted. The address contains the filter. */
export function HistoryScreen() {
  const [filter, setFilter] = useFilter();
  const [isLive, setLive] = useState(true);
  const list = useHistory(filter, isLive);
  const rows = useMemo(() => list.data?.pages.flatMap(({ runs }) => runs) ?? [], [list.data]);
  const { fetchNextPage, hasNextPage, isFetching, isFetchNextPageError } = list;
  const mayLoad = hasNextPage && !isFetching && !isFetchNextPageError;
  const onEnd = useCallback(() => void (mayLoad && fetchNextPage()), [mayLoad, fetchNextPage]);
  const isByValue = Boolean(filter.value);
  return (
    <HomePage title="Runs" actions={!isByValue && <LiveButton isLive={isLive} onLive={setLive} />}>
      <HistoryFilters filter={filter} onFilter={setFilter} />
      <MissingServers names={list.data?.pages[0]?.missing} />
      <Loaded query={list} what="the runs">
        {() => {
          const isFiltered = !isEmptyFilter(filter);
          if (rows.length > 0)
            return <HistoryList rows={rows} filter={filter} isFiltered={isFiltered} onEnd={onEnd} />;
          return hasNextPage ? null : <NoRuns isFiltered={isFiltered} onAll={() => setFilter({})} />;
        }}
      </Loaded>
      {isByValue && list.data && <Searched pages={list.data.pages} found={rows.length} />}
      {hasNextPage && (
        <div className="flex justify-center">
          <Button busy={list.isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isByValue ? 'Search older runs' : 'Load older runs'}
          </Button>
        </div>
      )}
    </HomePage>
  );
}

/** How far a search for a value has come: it looks into a limited number of runs at a time. */
function Searched({ pages, found }: { pages: readonly RunPage[]; found: number }) {
  const sum = (of: (page: RunPage) => number | undefined): number =>
    pages.reduce((total, page) => total + (of(page) ?? 0), 0);
  const runs = sum(({ searched }) => searched?.runs);
  const recorded = sum(({ searched }) => searched?.recorded);
  const isAll = pages.at(-1)?.next === undefined;
  return (
    <p role="status" className="text-center text-xs text-text-2">
      {found === 0 ? 'No match' : countText(found, 'match', 'matches')} in{' '}
      {isAll ? `all ${countText(runs, 'run')}` : `the newest ${countText(runs, 'run')}`}; values were kept for{' '}
      {recorded.toLocaleString('en')} of them.
    </p>
  );
}

/** The filter, in the address: it can be bookmarked and shared. */
function useFilter(): [filter: RunFilter, setFilter: (filter: RunFilter) => void] {
  const filter: RunFilter = route.useSearch();
  const navigate = route.useNavigate();
  const setFilter = (next: RunFilter): void => {
    const said = Object.fromEntries(Object.entries(next).filter(([, value]) => value));
    void navigate({ search: said, replace: true });
  };
  return [filter, setFilter];
}

interface HistoryListProps {
  rows: readonly RunSummary[];
  filter: RunFilter;
  isFiltered: boolean;
  onEnd(): void;
}

/** The runs, some of which can be selected. */
function HistoryList({ rows, filter, isFiltered, onEnd }: HistoryListProps) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [asked, setAsked] = useState<readonly RunSummary[] | 'fitting'>();
  const close = (): void => setAsked(undefined);
  const nameOf = useRunNames(useMemo(() => [...new Set(rows.map(({ flow }) => flow))], [rows]));
  return (
    <>
      <SelectionBar
        selected={rows.filter(({ run }) => chosen.includes(run))}
        isFiltered={isFiltered}
        onClear={() => setChosen([])}
        onDelete={setAsked}
      />
      <HistoryTable
        rows={rows}
        nameOf={nameOf}
        chosen={chosen}
        onChoose={setChosen}
        onDelete={(run) => setAsked([run])}
        onEnd={onEnd}
      />
      {asked === 'fitting' && <DeleteFitting filter={filter} onClose={close} />}
      {asked !== undefined && asked !== 'fitting' && <DeleteRuns runs={asked} onClose={close} />}
    </>
  );
}

function LiveButton({ isLive, onLive }: { isLive: boolean; onLive(isLive: boolean): void }) {
  return (
    <Button
      icon={isLive ? Pause : Radio}
      title={isLive ? 'New runs appear at the top' : 'The list is paused'}
      onClick={() => onLive(!isLive)}
    >
      {isLive ? 'Pause' : 'Resume live updates'}
    </Button>
  );
}

function NoRuns({ isFiltered, onAll }: { isFiltered: boolean; onAll(): void }) {
  if (isFiltered) {
    return (
      <EmptyState
        icon={SearchX}
        title="No run matches"
        action={<Button onClick={onAll}>Show all runs</Button>}
      >
        Ids, flows and errors are searched; values where they were recorded. Runs are kept for 30 days unless
        the server is set otherwise.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={History}
      title="Nothing has run yet"
      steps={[
        'Open a flow and press Run.',
        'See its values at each node, and its answer below the canvas.',
        'Find the run again here, with those that callers, chats and schedules start.',
      ]}
    >
      Each run of a flow is listed here, however it was started: by a call, a chat, a schedule, the editor.
      Open a flow and run it.
    </EmptyState>
  );
}
