import type { RunListQuery } from '#shared/api.ts';
import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import { textOrJson } from '#shared/json.ts';
import type { Gap } from './follower.ts';
import type { RunReads } from './run-reads.ts';

/**
 * The limits of one search, so that it neither takes long nor slows down the server: the caller continues from `next`.
 */
export interface SearchLimits {
  readonly runs: number;
  readonly events: number;
}

const defaultLimits: SearchLimits = { runs: 500, events: 50_000 };

/** Runs whose summaries are read at once. */
const STEP = 50;

/** Runs in which a value was found. */
export interface FoundRuns {
  readonly runs: RunSummary[];
  /** Present if older runs may follow: the last id that was searched. */
  readonly next?: string;
  /** For a search for a value: how many runs were looked at, and of how many of them values were recorded. */
  readonly searched?: { readonly runs: number; readonly recorded: number };
}

/**
 * One page of the runs that match a query, newest first. With `value`, only runs with a recorded value that contains
 * this text: their input, or an output of a node; runs in progress are then left out. Values that are stored separately
 * because of their size are searched in their beginning only.
 */
export async function findRuns(
  runs: Pick<RunReads, 'list' | 'events'>,
  { value, ...query }: RunListQuery,
  limits: SearchLimits = defaultLimits,
): Promise<FoundRuns> {
  if (value !== undefined) return searchValues(runs, query, value.toLowerCase(), limits);
  const found = await runs.list(query);
  const last = found.at(-1);
  return { runs: found, ...(last && found.length === query.limit && { next: last.run }) };
}

async function searchValues(
  runs: Pick<RunReads, 'list' | 'events'>,
  query: Omit<RunListQuery, 'value'>,
  needle: string,
  limits: SearchLimits,
): Promise<FoundRuns> {
  const found: RunSummary[] = [];
  const left = { ...limits };
  const searched = { runs: 0, recorded: 0 };
  let { before } = query;
  for (;;) {
    const page = await runs.list({ ...query, limit: STEP, ...(before !== undefined && { before }) });
    for (const row of page) {
      const isFull = found.length >= query.limit || left.runs <= 0 || left.events <= 0;
      if (isFull) return { runs: found, searched, ...(before !== undefined && { next: before }) };
      before = row.run;
      left.runs--;
      const events = await eventsOf(runs, row);
      left.events -= events.length;
      searched.runs++;
      if (events.length > 0) searched.recorded++;
      if (events.some((event) => valuesOf(event).some((one) => holds(one, needle)))) found.push(row);
    }
    if (page.length < STEP) return { runs: found, searched };
  }
}

async function eventsOf(runs: Pick<RunReads, 'events'>, row: RunSummary): Promise<(RunEvent | Gap)[]> {
  if (!row.recorded || row.status === 'running') return [];
  return (await runs.events(row.run, 0)) ?? [];
}

function valuesOf(event: RunEvent | Gap): unknown[] {
  if (event.kind === 'run-started') return [event.input];
  if (event.kind === 'run-answered') return [event.body];
  return event.kind === 'node-output' || event.kind === 'node-chunk' ? [event.value] : [];
}

/** Values are bounded in depth when they are recorded, so no stack overflows. */
function holds(value: unknown, needle: string): boolean {
  if (typeof value === 'object' && value !== null)
    return Object.values(value).some((part) => holds(part, needle));
  return textOrJson(value).toLowerCase().includes(needle);
}
