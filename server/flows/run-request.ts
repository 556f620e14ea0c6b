import type { Caller, StartOptions, TriggerRequest } from '#engine';
import type { RunInPart, RunSummary } from '#shared/run-event.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { Untrusted } from '../secrets/store.ts';
import type { LiveFlow } from './flow-types.ts';

/** Gives back the place of a run among those of its flow. */
export type Leave = () => void;

export interface RunRequest {
  readonly flow: LiveFlow;
  readonly trigger: string;
  readonly request: TriggerRequest;
  readonly output: unknown;
  readonly source: RunSummary['source'];
  /** Name of the API key that asked for it, where one did. */
  readonly apiKey?: string | undefined;
  /** Set when another run starts this one. */
  readonly part?: RunPart;
  /** Its place among the runs of its flow, where it has one already. */
  readonly place?: Leave | undefined;
  /** Record everything, whatever the sampling says (a draft test, a watcher). */
  readonly record?: 'full';
  /** Set where the run outlives the process: one go at carrying it out. */
  readonly pass?: RunPass;
  /** Told at the start of the run's record, which takes `record: 'full'`. */
  readonly inPart?: RunInPart | undefined;
  readonly untrusted?: Untrusted | undefined;
  /** Masks what of this run is shown or kept nowhere, and secrets; the hub knows it where it is left out. */
  readonly masks?: Redactor | undefined;
}

/** One go at a durable run: from its start, or from where it was left. */
export interface RunPass extends Required<Pick<StartOptions, 'id' | 'startedAt' | 'vars' | 'ctx' | 'key'>> {
  /** There was one before, so that some of it has been told. */
  readonly again: boolean;
}

/** A run that is a part of another one. */
export interface RunPart {
  readonly parent: Caller;
  /** What its idempotency keys begin with: the same for each attempt of the call. */
  readonly key: string;
  /** A limit besides the one of its flow, in milliseconds. */
  readonly atMostMs?: number | undefined;
}
