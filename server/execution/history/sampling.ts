import type { Flow } from '#shared/flow.ts';
import type { RunStatus } from '#shared/run-event.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';

/** How much of a run is recorded. */
export type RecordMode = 'full' | 'default' | 'summary' | 'off';

/** The record mode: the setting of the run's start overrides the flow's. */
export function recordMode(flow: Flow, asked: 'full' | undefined): RecordMode {
  return asked ?? flow.settings?.record ?? 'default';
}

/** Everything is recorded of a run that outlives the process, unless its flow asks for less. */
export function passMode(flow: Flow): RecordMode {
  const mode = recordMode(flow, undefined);
  return mode === 'default' ? 'full' : mode;
}

/** Decides which unwatched runs are stored completely. */
export interface Sampler {
  /** `endedAt` is Unix milliseconds. */
  keeps(flow: string, status: RunStatus, endedAt: number): boolean;
}

const FAILURES_PER_SECOND = 10;
const SUCCESSES_PER_SECOND = 1;

/** Stores completely, per flow and second: the first ten failed or cancelled runs, and the first successful one. */
export function createSampler(): Sampler {
  const flows = new Map<string, { second: number; failures: number; successes: number }>();
  return {
    keeps(flow, status, endedAt) {
      const second = Math.floor(endedAt / 1000);
      let seen = flows.get(flow);
      if (seen === undefined) {
        seen = { second, failures: 0, successes: 0 };
        flows.set(flow, seen);
      } else if (seen.second !== second) {
        seen.second = second;
        seen.failures = 0;
        seen.successes = 0;
      }
      return status === 'ok'
        ? seen.successes++ < SUCCESSES_PER_SECOND
        : seen.failures++ < FAILURES_PER_SECOND;
    },
  };
}

/** Allows `perSecond` calls in each second of the given clock; refuses the others. */
export function createBudget(perSecond: number, now: () => number): () => boolean {
  let second = -1;
  let used = 0;
  return () => {
    const current = Math.floor(now() / 1000);
    if (current !== second) {
      second = current;
      used = 0;
    }
    return used++ < perSecond;
  };
}

/**
 * The most recorded characters of data that a run receives from outside; a run beyond that cannot be replayed. One
 * limit is for runs that are recorded in full, one for runs that happen to be watched.
 */
const MAX_TAPE = 8 * 1024 * 1024;
const MAX_WATCHED_TAPE = 1024 * 1024;

/**
 * Part of another run: its result is in that run's tape, so it needs none. A durable run is replayed by its last pass.
 */
export function tapeRoom({ part }: Pick<RunRequest, 'part'>, mode: RecordMode): number {
  if (part !== undefined) return 0;
  if (mode === 'full') return MAX_TAPE;
  return mode === 'default' ? MAX_WATCHED_TAPE : 0;
}
