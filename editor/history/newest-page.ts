import type { RunPage } from '#shared/api.ts';

/**
 * Updates the list with a fresh newest page. The page replaces the rows that it covers, and older rows stay. If so many runs
 * are new that the page does not reach the old rows, the list starts over, since it would have a gap. Ids sort by start.
 */
export function withNewest(pages: readonly RunPage[], newest: RunPage): RunPage[] {
  const last = newest.runs.at(-1);
  if (newest.next === undefined || last === undefined) return [newest];
  const known = pages.flatMap(({ runs }) => runs);
  const older = known.filter(({ run }) => run < last.run);
  const reaches = known.length > older.length;
  if (!reaches || older.length === 0) return [newest];
  const next = pages.at(-1)?.next;
  const { runs, missing } = newest;
  return [
    { runs, ...(missing && { missing }) },
    { runs: older, ...(next !== undefined && { next }) },
  ];
}
