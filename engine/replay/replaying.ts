import type { RunEvent } from '#shared/run-event.ts';
import type { Given, Plan } from '../plan/plan.ts';
import type { WeftError } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { isAsyncIterable } from '../base/item-stream.ts';
import { withGiven } from '../partial/substitute.ts';
import { start } from '../run/run.ts';
import type { Run } from '../run/state.ts';
import type { Likeness } from './asked.ts';
import { decode } from './codec.ts';
import { firstDifference } from './difference.ts';
import { instrument } from './instrument.ts';
import { Playback } from './playback.ts';
import { playingContext } from './playing-context.ts';
import type { Delivery, RunRecord, RunTape } from './record.ts';

/** Outcome of a replay. */
export interface Replayed {
  readonly run: Run;
  readonly events: readonly RunEvent[];
  /** `replay_diverged`: the run asked for something that the record does not have, and could not continue. */
  readonly divergence: WeftError | undefined;
  /** The first event that differs from the recorded one, apart from times; undefined also if the record has no events. */
  readonly difference:
    | { readonly recorded: RunEvent | undefined; readonly replayed: RunEvent | undefined }
    | undefined;
}

/**
 * Runs a plan again with the contents of a record and nothing else. `defer` calls back in a separate turn (a host's
 * `defer`). A plan of another version than the record's is best played as `similar`: its asks are then looked up by content,
 * not by order, and `divergence` describes the first that the record lacks.
 */
export async function replayRun(
  plan: Plan,
  record: RunTape & Partial<Pick<RunRecord, 'events'>>,
  defer: Host['defer'],
  likeness: Likeness = 'same',
): Promise<Replayed> {
  const playback = new Playback(record, likeness, defer);
  const observed: RunEvent[] = [];
  const observer = (event: RunEvent): void => void observed.push(event);
  const begin = decode(record.start, () => undefined) as RunRecord['start'];
  const { durable = false } = record;
  const replayed = instrument(partOf(plan, record), (_, call) => playback.foreign(call), durable);
  const ctx = durable ? { ctx: playingContext(playback, record) } : undefined;
  const run = start(replayed, { ...begin, ...(begin.timed ? {} : { observer }), ...ctx }, playback.host());
  await play(run, { playback, record, defer });
  if (run.outcome === undefined) playback.asked.diverge('The record ends, but the run continues.');
  run.cancel('stop');
  const events = begin.timed ? run.events() : observed;
  const { divergence } = playback.asked;
  return { run, events, divergence, difference: record.events && firstDifference(record.events, events) };
}

interface Played {
  readonly playback: Playback;
  readonly record: RunTape;
  readonly defer: Host['defer'];
}

async function play(run: Run, { playback, record, defer }: Played): Promise<void> {
  let items: AsyncIterator<unknown> | undefined;
  run.onAnswer((answer) => {
    if (answer.kind === 'value' && isAsyncIterable(answer.body)) items = answer.body[Symbol.asyncIterator]();
  });
  const turn = (): Promise<void> => new Promise((resolve) => defer(resolve));
  await turn();
  for (const delivery of record.deliveries) {
    if (playback.asked.divergence) return;
    if ('caller' in delivery) act(run, items, delivery.caller);
    else if ('cancel' in delivery) run.cancel(delivery.cancel);
    else playback.deliver(delivery);
    await turn();
  }
  while (run.outcome === undefined && playback.catchUp()) await turn();
}

function act(
  run: Run,
  items: AsyncIterator<unknown> | undefined,
  what: Extract<Delivery, { caller: unknown }>['caller'],
): void {
  if (what === 'observe') {
    run.observe(() => {});
    return;
  }
  const asked = what === 'pull' ? items?.next() : items?.return?.();
  // Its failure is in the run's events.
  asked?.catch(() => {});
}

function partOf(plan: Plan, { partial }: RunTape): Plan {
  if (partial === undefined) return plan;
  const given = decode(partial.given, () => undefined) as Record<string, Given>;
  return withGiven(plan, new Map(Object.entries(given)), new Set(partial.leftOut));
}
