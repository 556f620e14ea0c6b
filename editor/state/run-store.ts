import type { FlowChange, NodeOutputs } from '#shared/api.ts';
import type { NodeDecision, RunError, RunEvent, RunSummary } from '#shared/run-event.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Doc } from '../model/document.ts';
import type { Marks } from '../model/marks.ts';
import type { PartWish } from '../api/partial-runs.ts';

/**
 * What is known of the runs of the open flow: from the websocket, or loaded from the history. Never in the document and never
 * in its undo steps. `run-socket.ts` applies what has come at most once a frame.
 */
export type NodeStatus =
  | 'waiting'
  | 'running'
  | 'ok'
  | 'failed'
  | 'cancelled'
  | 'skipped'
  | 'retrying'
  | 'abandoned';

export interface NodeRun {
  readonly status: NodeStatus;
  readonly attempt: number;
  readonly startedAt: number | undefined;
  readonly ms: number | undefined;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly error: RunError | undefined;
  /** Whether a failure was caught: by an edge from `error`, or by a fallback value. */
  readonly handled: 'no' | 'route' | 'continue' | undefined;
  readonly skipped: string | undefined;
  /** What it waits for, while it waits. */
  readonly waitingFor: string | undefined;
  /** Items seen on each stream output. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface LogLine {
  readonly run: string;
  readonly seq: number;
  /** Unix milliseconds. */
  readonly at: number;
  /** `log`: the flow said it; else what happened. */
  readonly kind: RunEvent['kind'];
  readonly node: string | undefined;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
  readonly data: unknown;
}

export interface ShownRun {
  readonly id: string;
  readonly version: string | undefined;
  readonly trigger: string | undefined;
  readonly status: RunSummary['status'];
  readonly startedAt: number;
  readonly ms: number | undefined;
  readonly error: RunError | undefined;
  readonly input: unknown;
  readonly nodes: Readonly<Record<string, NodeRun>>;
  /** The earlier run whose outputs it used. */
  readonly reused: string | undefined;
  /** Of a run that did not carry out everything: what became of each node, by its id. */
  readonly decisions: Readonly<Record<string, NodeDecision>> | undefined;
  /** Why events of it are missing (`not-recorded`, `over-limit`); undefined when all are there. */
  readonly missing: string | undefined;
  /** Highest sequence number applied. */
  readonly seq: number;
}

/** The flow as a run had it, where that is not the flow as it is now. */
export interface AsRan {
  readonly run: string;
  readonly version: string;
  /** Undefined where this version was not kept: the run is then drawn on the flow as it is now. */
  readonly doc: Doc | undefined;
}

/** A version of the flow, or two of them in one drawing, that somebody looks at instead of a run. */
export interface ShownVersion {
  /** The version, or `now` for the flow as it is edited. */
  readonly to: string;
  /** What it is compared with. */
  readonly from: string | undefined;
  readonly doc: Doc;
  readonly changes: readonly FlowChange[];
  readonly marks: Marks | undefined;
}

/** A line of the run list. Where a run that is told live came from is known when it ends. */
export type RunRow = Omit<RunSummary, 'source'> & { readonly source: RunSummary['source'] | undefined };

/** What a part of the screen can ask for; `connectRuns` fills it in while a flow is open. */
export interface RunActions {
  /** Puts a run on the canvas and stops following. */
  open(run: string): Promise<void>;
  /** Draws the run on the canvas on the flow as it is now, whatever it ran. */
  drawOnToday(): void;
  /** Back to the newest run, and to each that comes. */
  follow(): void;
  loadRecent(): Promise<void>;
  loadOlder(): Promise<void>;
  clearLog(): void;
  /** Waits for the next call of the draft's test address, and shows its run. */
  listen(): Promise<void>;
  stopListening(): void;
  /** Runs a part of what is on the canvas, with the outputs of an earlier run for the rest. */
  runPart(wish: PartWish): Promise<void>;
  /** Goes on from a run: where it failed, or with these outputs in place of those that it had. */
  fork(run: string, outputs?: NodeOutputs): Promise<void>;
  /** Makes runs by hand use these outputs instead of running the node; without outputs they run it again. */
  pin(node: string, outputs: NodeOutputs[string] | undefined): Promise<void>;
}

export interface RunState {
  readonly connection: 'connecting' | 'open' | 'lost';
  /** The run on the canvas. */
  readonly shown: ShownRun | undefined;
  /** What the opened run ran, where the flow has changed since. */
  readonly asRan: AsRan | undefined;
  /** Shown until a run is followed or opened; see `versionOf`. */
  readonly version: ShownVersion | undefined;
  /** What no test goes through, while the canvas marks it. */
  readonly coverage: Marks | undefined;
  /** The run that is being loaded, to be shown. */
  readonly opening: string | undefined;
  /** Newest first. */
  readonly recent: readonly RunRow[];
  readonly list: 'loading' | 'ready' | 'failed';
  /** Whether the server has older ones. */
  readonly hasOlder: boolean;
  /** Lines of all runs of the flow, oldest first, bounded. */
  readonly log: readonly LogLine[];
  /** Follow the newest run, until somebody opens a past one. */
  readonly follow: boolean;
  /** Until when the draft's test address is open to callers, Unix milliseconds; undefined while nobody listens. */
  readonly listeningUntil: number | undefined;
  /** Outputs that runs by hand use instead of running their nodes. */
  readonly pins: NodeOutputs;
  readonly actions: RunActions;
}

export type RunStore = StoreApi<RunState>;

export function createRunStore(): RunStore {
  return createStore<RunState>()(() => ({
    connection: 'connecting',
    shown: undefined,
    asRan: undefined,
    version: undefined,
    coverage: undefined,
    opening: undefined,
    recent: [],
    list: 'loading',
    hasOlder: false,
    log: [],
    follow: true,
    listeningUntil: undefined,
    pins: {},
    actions: noActions,
  }));
}

const nothing = async (): Promise<void> => {};

/** While no flow is open. */
export const noActions: RunActions = {
  open: nothing,
  drawOnToday: () => {},
  follow: () => {},
  loadRecent: nothing,
  loadOlder: nothing,
  clearLog: () => {},
  listen: nothing,
  stopListening: () => {},
  runPart: nothing,
  fork: nothing,
  pin: nothing,
};

export const MAX_LOG_LINES = 5_000;
export const MAX_RECENT_RUNS = 100;

/** Whether a node of the run on the canvas waits for a time or for people. */
export function hasWaiting({ shown }: RunState): boolean {
  return shown !== undefined && Object.values(shown.nodes).some(({ waitingFor }) => waitingFor !== undefined);
}
