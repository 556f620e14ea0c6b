import type { Caller, RunCtx, StartOptions, TriggerRequest } from '#engine';
import type { RunInPart, RunSummary } from '#shared/run-event.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { Untrusted } from '../../base/secrets/store.ts';
import type { LiveFlow } from './flow-types.ts';

/** Releases the place of a run among those of its flow. */
export type Leave = () => void;

export interface RunRequest {
  readonly flow: LiveFlow;
  readonly trigger: string;
  readonly request: TriggerRequest;
  readonly output: unknown;
  readonly source: RunSummary['source'];
  /** It tries a draft, whose state and cached outputs are its own; so does every run with the source `test`. */
  readonly isDraft?: boolean | undefined;
  /** Name of the API key that started it; undefined without a key. */
  readonly apiKey?: string | undefined;
  /** Set when another run starts this one. */
  readonly part?: RunPart;
  /** Releases its place among the runs of its flow, if it already has one. */
  readonly place?: Leave | undefined;
  /** Record everything, regardless of the sampling (a draft test, a watcher). */
  readonly record?: 'full';
  /** Somebody may look at it later, from a kept answer: the sampling leaves it out only where there are too many. */
  readonly isLookedAt?: boolean;
  /** Set if the run outlives the process: one pass of it. */
  readonly pass?: RunPass;
  /** Written at the start of the run's record; needs `record: 'full'`. */
  readonly inPart?: RunInPart | undefined;
  readonly untrusted?: Untrusted | undefined;
  /** Handles of the files that it starts with. */
  readonly files?: readonly string[] | undefined;
  /** Masks secrets and everything of this run that must not be shown or stored; the hub has a default. */
  readonly masks?: Redactor | undefined;
}

/** One pass of a durable run. */
export interface RunPass extends Required<Pick<StartOptions, 'id' | 'startedAt' | 'vars' | 'ctx' | 'key'>> {
  /** Whether there was an earlier pass, so that some events were already reported. */
  readonly again: boolean;
}

/** A run that is a part of another one. */
export interface RunPart {
  readonly parent: Caller;
  /** Prefix of its idempotency keys: the same for each attempt of the call. */
  readonly key: string;
  /** A limit besides the one of its flow, in milliseconds. */
  readonly atMostMs?: number | undefined;
  /** If the calling run is durable: its context below the calling step. */
  readonly ctx?: RunCtx | undefined;
}
