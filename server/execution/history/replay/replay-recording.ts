import type { Host, Likeness, Plan, RunTape } from '#engine';
import { replayRun } from '#engine/workbench';
import type { Recording } from '#shared/recording.ts';
import type { RunNodeDiff, ValueChange } from '#shared/run-diff.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { MASK } from '../../../base/secrets/redactor.ts';
import { createValueRoom, RunValues } from '../blobs/run-values.ts';
import { wholeEvents } from '../blobs/whole-events.ts';
import { runDiff } from '../diff/run-diff.ts';
import { writeEvent } from '../event-log.ts';
import { type OutputHashes, outputHashes } from './output-hashes.ts';

/** The result of replaying a recorded run. */
export interface ReplayReport {
  /** The recorded version of the flow was used. */
  readonly sameVersion: boolean;
  /** There are no differences, and the run reached its end. */
  readonly same: boolean;
  /** Outputs whose hashes are equal. */
  readonly equal: number;
  /** Places that cannot be compared, because they contained a secret or the value was too large to store. */
  readonly unchecked: number;
  /** The request of the run that the recording does not have. */
  readonly divergence: { readonly code: string; readonly message: string } | undefined;
  /** Nodes that differ, in the order in which the runs reached them. */
  readonly differences: readonly RunNodeDiff[];
  readonly recorded: OutputHashes;
  readonly replayed: OutputHashes;
}

/** Runs a plan with nothing but its recording, and compares the outputs of its nodes. `defer` is that of a host. */
export async function replayRecording(
  recording: Recording,
  plan: Plan,
  defer: Host['defer'],
): Promise<ReplayReport> {
  const tape = recording.tape as unknown as RunTape;
  const likeness: Likeness = plan.version === tape.version ? 'same' : 'similar';
  const { events, divergence } = await replayRun(plan, tape, defer, likeness);
  const before = await recordedEvents(recording);
  const after = await boundEvents(events);
  const leftAside = leaveAside(isComplete(before));
  const diff = runDiff(
    { summary: recording.summary, events: before },
    { summary: recording.summary, events: after },
    { isMeant: leftAside.isMeant, times: false },
  );
  const known = diff.nodes.filter(({ status }) => leftAside.isKnown(status.before));
  // The clock of a replay is the recorded one.
  const differences = known.map((node) => ({ ...node, ms: {} }));
  const [recorded, replayed] = [outputHashes(before), outputHashes(after)];
  return {
    sameVersion: likeness === 'same',
    same: divergence === undefined && differences.length === 0,
    equal: countEqual(recorded, replayed),
    unchecked: leftAside.count(),
    divergence: divergence && { code: divergence.code, message: divergence.message },
    differences,
    recorded,
    replayed,
  };
}

function recordedEvents({ events, values = {} }: Recording): Promise<RunEvent[]> {
  const own = events.filter((event): event is RunEvent => event.kind !== 'gap');
  return wholeEvents(own, (hash) => (Object.hasOwn(values, hash) ? JSON.stringify(values[hash]) : undefined));
}

/** The events as the server would have stored them. */
function boundEvents(events: readonly RunEvent[]): Promise<RunEvent[]> {
  const values = new RunValues(createValueRoom(Number.POSITIVE_INFINITY, () => 0));
  const bound = events.map((event) => JSON.parse(writeEvent(event, undefined, values).json) as RunEvent);
  return wholeEvents(bound, (hash) => values.get(hash));
}

/** Whether all events of the run were stored. */
function isComplete(events: readonly RunEvent[]): boolean {
  return events.at(-1)?.kind === 'run-finished' && events.at(-1)?.seq === events.length;
}

function leaveAside(complete: boolean) {
  let count = 0;
  return {
    count: () => count,
    /** In a run that was not stored completely, a missing node means nothing. */
    isKnown: (state: RunNodeDiff['status']['before']) => complete || (state !== 'none' && state !== 'open'),
    isMeant({ before }: ValueChange): boolean {
      if (!isMasked(before) && (complete || before !== undefined)) return true;
      count++;
      return false;
    },
  };
}

function isMasked(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(MASK);
  return typeof value === 'object' && value !== null && '$large' in value;
}

function countEqual(recorded: OutputHashes, replayed: OutputHashes): number {
  const equal = Object.entries(recorded).flatMap(([node, ports]) =>
    Object.entries(ports).filter(([port, hash]) => replayed[node]?.[port] === hash),
  );
  return equal.length;
}
