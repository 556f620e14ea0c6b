import type { Locate } from '#engine/check';
import type { Problem } from '#shared/problem.ts';
import { createRequire } from 'node:module';
import type * as Croner from 'croner';
import type { Flow } from '#shared/flow.ts';

export const SCHEDULE = 'trigger.schedule';

/** A schedule as a node's params define it. */
export interface ScheduleSpec {
  readonly cron: string;
  readonly timezone: string;
  readonly catchUp: 'none' | 'latest' | 'all';
  readonly overlap: 'skip' | 'allow';
  readonly input: unknown;
}

/** The schedules of a flow, by node, without disabled ones. */
export function schedulesOf(flow: Flow): Map<string, ScheduleSpec> {
  const found = new Map<string, ScheduleSpec>();
  for (const [id, { operator, disabled, params = {} }] of Object.entries(flow.nodes)) {
    if (operator !== SCHEDULE || disabled === true || typeof params['cron'] !== 'string') continue;
    const defaults = { timezone: 'UTC', catchUp: 'latest', overlap: 'skip', input: null } as const;
    found.set(id, { ...defaults, ...params } as ScheduleSpec);
  }
  return found;
}

/** Times in order, from a pattern. */
export interface Times {
  /** The first one after `time`, in Unix milliseconds; undefined if there is none. */
  after(time: number): number | undefined;
  /** The last `count` ones up to `time`, oldest first. */
  upTo(time: number, count: number): number[];
}

/** Throws an `Error` that describes the fault of the pattern or the time zone. */
export function timesOf({ cron, timezone }: Pick<ScheduleSpec, 'cron' | 'timezone'>): Times {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
  } catch {
    throw new Error(`There is no time zone ${JSON.stringify(timezone)}; write it like Europe/Oslo.`);
  }
  const pattern = readPattern(cron, timezone);
  return {
    after: (time) => pattern.nextRun(new Date(time))?.getTime(),
    upTo: (time, count) =>
      pattern
        .previousRuns(count, new Date(time + 1000))
        .map((date) => date.getTime())
        .filter((at) => at <= time)
        .reverse(),
  };
}

/** Loaded with the first schedule. */
function loadCroner(): typeof Croner {
  return createRequire(import.meta.url)('croner') as typeof Croner;
}

function readPattern(cron: string, timezone: string): Croner.Cron {
  const { Cron } = loadCroner();
  try {
    // Without a function it only computes; it sets no timers.
    return new Cron(cron, { timezone, paused: true, mode: '5-or-6-parts' });
  } catch (error) {
    const reason = (error as Error).message.replace(/^CronPattern: /, '');
    throw new Error(`${JSON.stringify(cron)} is not a schedule: ${reason}`, { cause: error });
  }
}

/** Problems of schedules with an invalid pattern or time zone. The browser's check cannot find them. */
export function scheduleProblems(flow: Flow, locate: Locate): Problem[] {
  return [...schedulesOf(flow)].flatMap(([node, spec]) => {
    try {
      timesOf(spec);
      return [];
    } catch (error) {
      const { message } = error as Error;
      const name = message.startsWith('There is no time zone') ? 'timezone' : 'cron';
      const place = { node, field: `params.${name}`, ...locate(['nodes', node, 'params', name]) };
      return [{ code: 'bad-param', severity: 'error', message, ...place } as const];
    }
  });
}
