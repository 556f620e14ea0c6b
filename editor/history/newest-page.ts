import type { RunPage } from '#shared/api.ts';

/**
 * The list after its newest page was read again. What the page covers is as it says; older rows stay, unless so many runs came that
 * the page does not reach down to them: then the list begins anew rather than with a hole. Ids sort by start.
 */
export function withNewest(pages: readonly RunPage[], newest: RunPage): RunPage[] {
  const last = newest.runs.at(-1);
  if (newest.next === undefined || last === undefined) return [newest];
  const known = pages.flatMap(({ runs }) => runs);
  const older = known.filter(({ run }) => run < last.run);
  const reaches = known.length > older.length;
  if (!reaches || older.length === 0) return [newest];
  const next = pages.at(-1)?.next;
  return [{ runs: newest.runs }, { runs: older, ...(next !== undefined && { next }) }];
}
