import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { RunPage } from '#shared/api.ts';
import { searchRuns } from '../api/history.ts';
import { withNewest } from './newest-page.ts';
import { type RunFilter, searchOf } from './run-filter.ts';

/** The newest runs, which are polled, and the older ones, which are read once. */
const NEWEST = 50;
const OLDER = 200;
const LIVE_MS = 2_000;

type Pages = InfiniteData<RunPage, string | undefined>;

/** The runs that match a filter, page by page, with new ones while `isLive`. */
export function useHistory(filter: RunFilter, isLive: boolean) {
  const queries = useQueryClient();
  const key = ['history', filter];
  const search = (before?: string): Promise<RunPage> =>
    searchRuns({
      ...searchOf(filter, Date.now()),
      ...(before === undefined ? { limit: NEWEST } : { limit: OLDER, before }),
    });
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => search(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: RunPage) => next,
    staleTime: Number.POSITIVE_INFINITY,
    // While somebody types, the old list stays.
    placeholderData: keepPreviousData,
  });
  useQuery({
    queryKey: ['history-newest', filter],
    queryFn: async () => {
      const newest = await search();
      queries.setQueryData<Pages>(key, (known) => known && pagesOf(withNewest(known.pages, newest)));
      return newest;
    },
    // Searching values repeatedly is too expensive for the server.
    enabled: isLive && !filter.value,
    refetchInterval: LIVE_MS,
  });
  return list;
}

function pagesOf(pages: RunPage[]): Pages {
  return { pages, pageParams: pages.map((_, i) => pages[i - 1]?.runs.at(-1)?.run) };
}
