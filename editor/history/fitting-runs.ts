import { deleteRuns, type RunSearch, searchRuns } from '../api/history.ts';

const AT_ONCE = 500;
/** Counting stops here. */
export const COUNTED = 10_000;

/** The number of matching runs, at most a page more than `COUNTED`, and the id of the newest one. */
export async function countFitting(search: RunSearch): Promise<{ runs: number; newest?: string }> {
  const first = await searchRuns({ ...search, limit: AT_ONCE });
  // A search by value may find nothing on one page and something on the next.
  let newest = first.runs[0]?.run;
  let runs = first.runs.length;
  for (let { next } = first; next !== undefined && runs < COUNTED; ) {
    const page = await searchRuns({ ...search, limit: AT_ONCE, before: next });
    runs += page.runs.length;
    newest ??= page.runs[0]?.run;
    next = page.next;
  }
  return { runs, ...(newest !== undefined && { newest }) };
}

/** Deletes the matching runs, except those that are newer than the newest counted one. */
export async function deleteFitting(
  search: RunSearch,
  newest: string,
  onDeleted: (sum: number) => void,
): Promise<void> {
  let sum = 0;
  // Ids sort by start, and no id contains a character that sorts after this one.
  for (let before: string | undefined = `${newest}~`; before !== undefined; ) {
    const page = await deleteRuns({ ...search, limit: AT_ONCE, before });
    sum += page.deleted;
    onDeleted(sum);
    before = page.next;
  }
}
