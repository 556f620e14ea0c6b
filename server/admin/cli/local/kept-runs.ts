import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { RunExport } from '#shared/api.ts';
import { Recording } from '#shared/recording.ts';
import type { RunSummary, RunEvent } from '#shared/run-event.ts';
import type { Config } from '../../../base/config/config.ts';
import type { RunHub } from '../../../execution/runs/run-types.ts';
import { type Follower, type Gap, givePast } from '../../../execution/history/follower.ts';
import type { RunHistory, RunQuery } from '../../../execution/history/history.ts';
import type { RunReads } from '../../../execution/history/run-reads.ts';
import type { OwnData } from '../../control/own-data.ts';
import { type AskServer, withData } from '../../control/with-data.ts';
import { createJournal } from '../../../execution/history/journal/journal.ts';
import { createMemoryHistory } from '../../../execution/history/memory-history.ts';
import { type Io, UsageError } from '../io.ts';

/** Stored runs, read from the data folder, a server or a file. */
export type KeptRuns = Pick<RunHub, 'get' | 'list' | 'events' | 'value' | 'tape'>;

/** The runs of the database, or of the data folder; none without such a folder. */
export async function withKeptRuns<T>(
  config: Config,
  io: Io,
  work: (runs: KeptRuns) => Promise<T>,
): Promise<T> {
  const { data, runsDays: days, runsSize: bytes } = config;
  const [folder, blobs] = [join(data, 'runs'), join(data, 'blobs')];
  if (!existsSync(data) && config.databaseUrl === undefined) return work(historyRuns(createMemoryHistory()));
  const warn = (message: string): void => void io.stderr.write(`warning: ${message}\n`);
  const alone = async ({ sql }: OwnData): Promise<T> => {
    const history = await historyOf(sql);
    try {
      return await work(historyRuns(history));
    } finally {
      await history.close();
    }
  };
  async function historyOf(sql: OwnData['sql']): Promise<RunHistory> {
    if (config.databaseUrl !== undefined && sql !== undefined) {
      const { createRowHistory } = await import('../../../execution/history/row-history.ts');
      return createRowHistory(sql);
    }
    return existsSync(folder)
      ? createJournal({ folder, blobs, limits: { days, bytes }, warn })
      : createMemoryHistory();
  }
  return await withData(config, alone, (ask) => work(servedRuns(ask)));
}

/** Ended runs of a history, for readers without a server. */
function historyRuns(history: RunHistory): RunReads {
  return {
    get: (id) => history.get(id),
    list: (query) => history.list(query),
    value: (id, hash) => history.value(id, hash),
    tape: (id) => history.tape(id),
    async events(id, after) {
      if ((await history.get(id)) === undefined) return undefined;
      const seen: (RunEvent | Gap)[] = [];
      const follower: Follower = { after, fn: (event) => seen.push(event) };
      givePast(follower, { kept: await history.events(id, after), events: [] });
      return seen;
    },
  };
}

/** JSON has no `undefined`: the server sends `null` for missing values. */
function servedRuns(ask: AskServer): KeptRuns {
  type Found<K extends keyof KeptRuns> = Awaited<ReturnType<KeptRuns[K]>>;
  return {
    get: async (run) => ((await ask({ do: 'runs.get', run })) ?? undefined) as Found<'get'>,
    list: async ({ flow, limit }: RunQuery) => (await ask({ do: 'runs.list', flow, limit })) as Found<'list'>,
    async events(run, after) {
      const events = (await ask({ do: 'runs.events', run })) as Found<'events'> | null;
      return events?.filter((event) => ('seq' in event ? event.seq : event.to) > after);
    },
    value: async (run, hash) => ((await ask({ do: 'runs.value', run, hash })) ?? undefined) as Found<'value'>,
    tape: async (run) => ((await ask({ do: 'runs.tape', run })) ?? undefined) as Found<'tape'>,
  };
}

/** Whether the name of a run is its exported file. */
export function isRunFile(name: string, { cwd }: Io): boolean {
  return name.endsWith('.json') || existsSync(resolve(cwd, name));
}

/** The run of a file that the server exported, as the only stored run. Throws `UsageError` for any other file. */
export function runOfFile(name: string, io: Io): { run: RunSummary; runs: KeptRuns } {
  const { summary, events, values = {} } = readExport(name, io);
  const isIt = (id: string): boolean => id === summary.run;
  const runs: KeptRuns = {
    get: async (id) => (isIt(id) ? summary : undefined),
    list: async () => [summary],
    events: async (id, after) =>
      isIt(id) ? events.filter((event) => ('seq' in event ? event.seq : event.to) > after) : undefined,
    value: async (id, hash) =>
      isIt(id) && Object.hasOwn(values, hash) ? JSON.stringify(values[hash]) : undefined,
    tape: async () => undefined,
  };
  return { run: summary, runs };
}

function readExport(name: string, { cwd }: Io): RunExport {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(resolve(cwd, name), 'utf8'));
  } catch (error) {
    const { code = 'it is not JSON' } = error as NodeJS.ErrnoException;
    throw new UsageError(`${name} cannot be read (${code}).`);
  }
  const parsed = RunExport.safeParse(json);
  if (parsed.success) return parsed.data;
  const recording = Recording.safeParse(json);
  if (recording.success) return { ...recording.data, format: 'weft.run/1' };
  const record = runOfRecord(json);
  if (record) return record;
  throw new UsageError(
    `${name} is not an exported run; the server's GET /api/v1/runs/<id>/export writes one.`,
  );
}

/** The run in a file from `weft run --record`, which contains its events; undefined for anything else. */
function runOfRecord(json: unknown): RunExport | undefined {
  const events = (json as { events?: unknown } | null)?.events;
  if (!Array.isArray(events)) return undefined;
  const [first, last] = [events[0], events.at(-1)] as (RunEvent | undefined)[];
  if (first?.kind !== 'run-started' || last?.kind !== 'run-finished') return undefined;
  const { run, flow, version, trigger, at: startedAt } = first;
  const { status, ms } = last;
  const summary = {
    run,
    flow,
    version,
    trigger,
    source: 'cli',
    startedAt,
    ms,
    status,
    recorded: true,
  } as const;
  return { format: 'weft.run/1', summary, events: events as RunEvent[] };
}
