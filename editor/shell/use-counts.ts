import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { searchRuns } from '../api/history.ts';
import { listWaits } from '../api/waits.ts';
import { afterFirstPicture } from '../ui/first-picture.ts';
import type { Screen } from './screens.ts';

const LOOK_MS = 30_000;
const DAY_MS = 24 * 3_600_000;
/** More are not counted. */
const MOST = 99;

export type Counts = Readonly<Record<NonNullable<Screen['count']>, number | undefined>>;

/** The numbers of open questions and of failed runs of a day; undefined until they are known. The first picture does not wait for it. */
export function useCounts(): Counts {
  const [enabled, setEnabled] = useState(false);
  useEffect(() => {
    let isHere = true;
    void afterFirstPicture().then(() => isHere && setEnabled(true));
    return () => {
      isHere = false;
    };
  }, []);
  const often = { enabled, refetchInterval: LOOK_MS };
  const waiting = useQuery({ ...often, queryKey: ['waits'], queryFn: () => listWaits() });
  const failed = useQuery({
    ...often,
    queryKey: ['runs', 'failed'],
    queryFn: () => searchRuns({ status: 'failed', since: Date.now() - DAY_MS, limit: MOST + 1 }),
  });
  return { waiting: waiting.data?.waits.length, failed: failed.data?.runs.length };
}

/** `3`, `99+`; undefined for nothing to say. */
export function countLabel(count: number | undefined): string | undefined {
  if (count === undefined || count === 0) return undefined;
  return count > MOST ? `${MOST}+` : String(count);
}
