import type { Forgotten, NewRun, PassEnd, RecordedStep, StoredQuery, StoredRun } from '../port.ts';

/** The messages between the server's thread and the durable engine's. */

export interface EngineSetup {
  readonly file: string;
  /** Each step is synced to the disk before it counts, so that it survives a power cut. */
  readonly full: boolean;
}

export interface EngineCalls {
  begin: { in: null; out: null };
  start: { in: NewRun; out: { run: string; created: boolean } };
  wake: { in: string; out: null };
  cancel: { in: { run: string; by: string }; out: boolean };
  get: { in: string; out: StoredRun | undefined };
  list: { in: StoredQuery; out: StoredRun[] };
  steps: { in: string; out: RecordedStep[] };
  putText: { in: { name: string; text: string }; out: null };
  getText: { in: string; out: string | undefined };
  dropTexts: { in: readonly string[]; out: null };
  told: { in: { run: string; input?: string | undefined }; out: null };
  prune: { in: number; out: string[] };
  forget: { in: readonly string[]; out: Forgotten };
  close: { in: null; out: null };
}

export type EngineOp = keyof EngineCalls;

/** To the engine: a call, a step of a pass to record, or how a pass ended. */
export type ToEngine =
  | { readonly id: number; readonly op: EngineOp; readonly input: EngineCalls[EngineOp]['in'] }
  | { readonly pass: number; readonly key: string; readonly result: string }
  | { readonly pass: number; readonly end: PassEnd }
  | { readonly pass: number; readonly failed: string };

/** From the engine: an answer to a call or to a step, a pass to execute, or news about a run. */
export type FromEngine =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly pass: number; readonly recorded: string; readonly error?: string }
  | { readonly pass: number; readonly run: StoredRun; readonly steps: readonly RecordedStep[] }
  | { readonly parked: StoredRun }
  | { readonly ended: StoredRun };
