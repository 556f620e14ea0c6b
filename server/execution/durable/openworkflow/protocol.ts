import type { Forgotten, NewRun, PassEnd, RecordedStep, StoredQuery, StoredRun } from '../port.ts';

/** The messages between the server's thread and the durable engine's. */

/** Where the engine keeps its runs. */
export interface EngineSetup {
  readonly file: string;
  /** Each step is synced to the disk before it counts, so that it survives a power cut. */
  readonly full: boolean;
}

/** The result of a step to store, and the keys of the records that go with that. */
export interface Recording extends RecordedStep {
  readonly replaces: readonly string[];
}

/** The functions of the engine's thread: those of the port, and the answers to the passes that it hands out. */
export interface EngineCalls {
  begin(): void;
  start(run: NewRun): Promise<{ run: string; created: boolean }>;
  wake(run: string): Promise<void>;
  cancel(run: string, by: string): Promise<boolean>;
  get(run: string): StoredRun | undefined;
  list(query: StoredQuery): StoredRun[];
  steps(run: string): RecordedStep[];
  putText(name: string, text: string): void;
  getText(name: string): string | undefined;
  dropTexts(except: readonly string[]): void;
  told(run: string, input: string | undefined): void;
  prune(time: number): string[];
  forget(runs: readonly string[]): Forgotten;
  record(pass: number, step: Recording): void;
  end(pass: number, end: PassEnd): void;
  /** The pass failed, and is to be repeated. */
  giveUp(pass: number, reason: string): void;
  close(): Promise<void>;
}

/** From the engine: a pass to execute, or news about a run. */
export type FromEngine =
  | { readonly pass: number; readonly run: StoredRun; readonly steps: readonly RecordedStep[] }
  | { readonly parked: StoredRun }
  | { readonly ended: StoredRun };
