import type { RunEvent } from '#shared/run-event.ts';
import type { Given } from '../plan/plan.ts';
import type { CancelReason, StartOptions } from '../run/state.ts';

/**
 * Everything that a run got from outside, as JSON: enough to run it again without the outside. It contains secrets by name
 * only.
 */
export interface RunTape {
  readonly format: 1;
  readonly flow: string;
  readonly version: string;
  readonly trigger: string;
  /** `timed`: its nodes were timed, and it was not observed from the start. */
  readonly start: Pick<
    StartOptions,
    'id' | 'request' | 'output' | 'vars' | 'timed' | 'startedAt' | 'isDraft'
  > & {
    readonly timeoutMs?: number;
  };
  /** The zone of its expressions; absent from recordings of versions without one. */
  readonly timezone?: string;
  /** The replacements of nodes of the plan, and the nodes that were left out. */
  readonly partial?: { readonly given: Readonly<Record<string, Given>>; readonly leftOut: readonly string[] };
  /** Names of the services that the host offered. */
  readonly services: readonly string[];
  /** The run outlived its process, and this is its last pass: its steps, the order of their ends and its waits are asks too. */
  readonly durable?: true;
  /** Whether the host had a cache of outputs. */
  readonly caches?: true;
  readonly times: number[];
  readonly randoms: number[];
  readonly ids: string[];
  /** The requests of the run to the outside, in order; `of` of a delivery is an index in this list. */
  readonly asks: Ask[];
  /** The answers, and the actions of the caller, in the order in which the run got them; each in its own turn. */
  readonly deliveries: Delivery[];
}

/** A tape with the events of its run. */
export interface RunRecord extends RunTape {
  readonly events: RunEvent[];
}

/** Something that a run asked of the world outside. */
export interface Ask {
  /** For people, and to detect a run that takes another path. */
  readonly what: string;
  /**
   * A digest of its content, for another version of the flow with another order of requests. Recordings of version 0.2.0 and
   * older have none.
   */
  readonly key?: string;
  /** A timer or callback, a promise, a stream, or an immediate value. */
  gives: 'call' | 'later' | 'stream' | 'now';
  value?: unknown;
  error?: CodedError;
  /** The callbacks that it made before it returned. */
  calls?: Callback[];
}

/** A call of a callback that the run passed to a service: its name and its arguments. */
export interface Callback {
  readonly name: string;
  readonly with: readonly unknown[];
}

/** Something that reached the run from outside, in the order in which it did. */
export type Delivery =
  | { readonly of: number; readonly value?: unknown; readonly error?: CodedError }
  | { readonly of: number; readonly call: Callback }
  | { readonly caller: 'pull' | 'leave' }
  /** Somebody started to observe the run. */
  | { readonly caller: 'observe' }
  | { readonly cancel: CancelReason };

/** An error as JSON; `code` is absent for an error without one, which has a `name`. */
export interface CodedError {
  readonly code?: string;
  readonly name?: string;
  readonly message: string;
  readonly field?: string;
  readonly via?: string;
  readonly data?: unknown;
  readonly transient?: boolean;
  readonly isOfRun?: boolean;
}
