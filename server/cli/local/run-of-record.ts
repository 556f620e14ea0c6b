import type { RunExport } from '#shared/api.ts';
import type { RunEvent } from '#shared/run-event.ts';

/** The run in a file from `weft run --record`, which contains its events; undefined for anything else. */
export function runOfRecord(json: unknown): RunExport | undefined {
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
