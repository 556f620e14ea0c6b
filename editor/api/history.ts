import type { DeletedRuns, RunListQuery, RunPage } from '#shared/api.ts';
import type { RunDiff } from '#shared/run-diff.ts';
import { call } from './client.ts';

/** Runs of all flows: searched, exported, compared, deleted. */
const RUNS = '/api/v1/runs';
const at = (run: string): string => `${RUNS}/${encodeURIComponent(run)}`;
const schemas = () => import('./version-schemas.ts');

/** Which runs to list; times in Unix milliseconds. */
export type RunSearch = Partial<
  Pick<
    RunListQuery,
    | 'flow'
    | 'status'
    | 'source'
    | 'code'
    | 'since'
    | 'until'
    | 'text'
    | 'value'
    | 'parent'
    | 'limit'
    | 'before'
  >
>;

export const searchRuns = (search: RunSearch): Promise<RunPage> =>
  call((s) => s.RunPage, 'GET', `${RUNS}?${queryOf(search)}`);

export const deleteRun = (run: string): Promise<unknown> => call((s) => s.Anything, 'DELETE', at(run));

/** Deletes matching runs, at most `limit` at once; `next` continues. Runs in progress stay. */
export const deleteRuns = (search: RunSearch): Promise<DeletedRuns> =>
  call(async () => (await schemas()).DeletedRuns, 'DELETE', `${RUNS}?${queryOf(search)}`);

export const compareRuns = (before: string, after: string): Promise<RunDiff> =>
  call(async () => (await schemas()).RunDiff, 'GET', `${at(before)}/diff/${encodeURIComponent(after)}`);

/** The address of a run's export file. */
export const exportAddress = (run: string): string => `${at(run)}/export`;

function queryOf(search: RunSearch): URLSearchParams {
  const said = Object.entries(search).filter(([, value]) => value !== undefined);
  return new URLSearchParams(said.map(([key, value]) => [key, String(value)]));
}
