import type { DurableEnd, DurableView } from './durable-runs.ts';
import type { KeptEnd } from './walk.ts';
import type { DurableEngine, StoredRun } from './port.ts';
import type { KeptInput } from './run-input.ts';
import type { Values } from './values.ts';

/** The facts about a run that the engine stores. */
export function viewOf(stored: StoredRun, values: Values): DurableView {
  const { run, key, flow, version, status, startedAt, endedAt, passes, waitingFor, cancelledBy } = stored;
  const { trigger, source, webhook, memory, concurrencyKey, retryOf } = values.read(
    stored.input,
  ) as KeptInput;
  const end = stored.end === undefined ? {} : (values.read(stored.end) as KeptEnd);
  const waits = waitingFor === undefined ? undefined : (JSON.parse(waitingFor) as DurableView['waitingFor']);
  const view = { run, flow, version, trigger, source, status, startedAt, passes, ...end };
  const more = { key, webhook, memory, concurrencyKey, endedAt, waitingFor: waits, retryOf, cancelledBy };
  return { ...view, ...withoutUndefined(more) };
}

/** Whether the run is over. */
export function isEnd(view: DurableView): view is DurableEnd {
  return view.endedAt !== undefined;
}

/** A run that waits for its turn has not started, so it is not parked. */
export function isParked({ status, waitingFor }: DurableView): boolean {
  return status === 'waiting' && waitingFor?.length !== 0;
}

/** The same, from what the engine stores. */
export function waitsOutside({ status, waitingFor }: StoredRun): boolean {
  return status === 'waiting' && waitingFor !== undefined && waitingFor !== '[]';
}

function withoutUndefined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

const PAGE = 500;

/** The unfinished runs of an earlier process, oldest first. */
export async function unfinishedRuns(engine: Pick<DurableEngine, 'list'>): Promise<StoredRun[]> {
  const found: StoredRun[] = [];
  for (let before: string | undefined; ; ) {
    const page = await engine.list({ status: ['pending', 'running', 'waiting'], before, limit: PAGE });
    found.push(...page);
    if (page.length < PAGE) return found.reverse();
    before = page.at(-1)?.run;
  }
}
