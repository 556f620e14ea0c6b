import type { RunEvent } from '#shared/run-event.ts';
import type { Given } from '../plan/plan.ts';
import type { CancelReason, StartOptions } from '../run/state.ts';

/** All that a run got from outside, as JSON: enough to run it again without any of it. Secrets are in it by name only. */
export interface RunTape {
  readonly format: 1;
  readonly flow: string;
  readonly version: string;
  readonly trigger: string;
  /** `timed`: it was timed, and nobody observed it from the start. */
  readonly start: Pick<StartOptions, 'id' | 'request' | 'output' | 'vars' | 'timed' | 'startedAt'> & {
    readonly timeoutMs?: number;
  };
  /** What stood in for nodes of the plan, and which were not wanted. */
  readonly partial?: { readonly given: Readonly<Record<string, Given>>; readonly leftOut: readonly string[] };
  /** Names of the services that the host offered. */
  readonly services: readonly string[];
  /** It outlived its process, and this is its last pass: its steps, the order of their ends and its waits are asks too. */
  readonly durable?: true;
  /** The host kept outputs to use again. */
  readonly caches?: true;
  readonly times: number[];
  readonly randoms: number[];
  readonly ids: string[];
  /** What the run asked of the outside, in order; `of` of a delivery is a place in this list. */
  readonly asks: Ask[];
  /** What came back, and what the caller did, in the order in which the run learnt of it; each in a turn of its own. */
  readonly deliveries: Delivery[];
}

/** A tape with the events of its run. */
export interface RunRecord extends RunTape {
  readonly events: RunEvent[];
}

export interface Ask {
  /** For people, and to tell a run that goes another way. */
  readonly what: string;
  /** A timer or callback, a promise, a stream, or a value that was there at once. */
  gives: 'call' | 'later' | 'stream' | 'now';
  value?: unknown;
  error?: CodedError;
  /** What it called back before it returned. */
  calls?: Callback[];
}

export interface Callback {
  readonly name: string;
  readonly with: readonly unknown[];
}

export type Delivery =
  | { readonly of: number; readonly value?: unknown; readonly error?: CodedError }
  | { readonly of: number; readonly call: Callback }
  | { readonly caller: 'pull' | 'leave' }
  /** Somebody began to observe the run. */
  | { readonly caller: 'observe' }
  | { readonly cancel: CancelReason };

export interface CodedError {
  readonly code?: string;
  readonly name?: string;
  readonly message: string;
  readonly field?: string;
  readonly via?: string;
  readonly data?: unknown;
  readonly transient?: boolean;
}
