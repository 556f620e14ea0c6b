import type { CallerAnswer, FlowChange, NodeOutputs } from '#shared/api.ts';
import type { CacheNote, NodeDecision, RunError, RunEvent, RunSummary, Tokens } from '#shared/run-event.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Doc } from '../model/document/document.ts';
import { NOTHING_STALE, type Stale } from '../model/drawing/marks.ts';
import type { Marks } from '../model/drawing/marks.ts';
import type { Wait } from './waited.ts';
import type { PartWish } from '../api/partial-runs.ts';
import type { RoundCount } from './rounds.ts';

/** `waiting`: it has not begun, or waits for people or a time (`waitingFor`); `abandoned`: the run ended first. */
export type NodeStatus =
  | 'waiting'
  | 'running'
  | 'ok'
  | 'failed'
  | 'cancelled'
  | 'skipped'
  | 'retrying'
  | 'abandoned';

/** A node in a run, after the events that have come so far. */
export interface NodeRun {
  readonly status: NodeStatus;
  /** From 1. */
  readonly attempt: number;
  /** Start of the current attempt, Unix milliseconds; undefined before the first one. */
  readonly startedAt: number | undefined;
  /** Milliseconds from start to end; undefined until it has ended, and if it was not timed. */
  readonly ms: number | undefined;
  /** The last value of each output, by port. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** The failure of the last attempt; undefined after a success. */
  readonly error: RunError | undefined;
  /** Whether a failure was handled: by an edge from `error`, or by a fallback value. */
  readonly handled: 'no' | 'route' | 'continue' | undefined;
  /** Why it was skipped: `disabled`, `no-live-input` and so on. */
  readonly skipped: string | undefined;
  /** The thing that it waits for, while it waits. */
  readonly waitingFor: string | undefined;
  /** Whether it used an earlier output, and why or why not; absent for a node that stores none. */
  readonly cache?: CacheNote | undefined;
  /** Items seen on each stream output. */
  readonly counts: Readonly<Record<string, number>>;
}

/** A line of the log: written by the flow, or an event in words. */
export interface LogLine {
  readonly run: string;
  /** Number of its event in the run; with the run it identifies the line. */
  readonly seq: number;
  /** Unix milliseconds. */
  readonly at: number;
  /** `log`: the flow wrote it; otherwise it is an event. */
  readonly kind: RunEvent['kind'];
  readonly node: string | undefined;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
  /** A value that belongs to it; undefined for none. */
  readonly data: unknown;
}

/** A run as the canvas shows it, after the events that have been applied. */
export interface ShownRun {
  readonly id: string;
  readonly version: string | undefined;
  /** Id of the node that it started at. */
  readonly trigger: string | undefined;
  /** Undefined for a run that was live when it came to the canvas; its line of the list then knows it in the end. */
  readonly source: RunSummary['source'] | undefined;
  readonly status: RunSummary['status'];
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Milliseconds from start to end; undefined until it has ended. */
  readonly ms: number | undefined;
  readonly error: RunError | undefined;
  /** The value of its trigger; undefined if it was not recorded. */
  readonly input: unknown;
  /** Nodes of bodies as in the picked rounds (`rounds.ts`). */
  readonly nodes: Readonly<Record<string, NodeRun>>;
  /** The nodes of bodies by the rounds that they are in, such as `loop#3/group#0`. */
  readonly inRounds: Readonly<Record<string, Readonly<Record<string, NodeRun>>>>;
  /** How often bodies ran, by their container, with the rounds that it is in before it: `loop#3/group`. */
  readonly rounds: Readonly<Record<string, RoundCount>>;
  /** The round that somebody has chosen to see, by container: `loop#3`. */
  readonly picked: Readonly<Record<string, string>>;
  /** The answer to its caller, as far as the record has it. */
  readonly answered: Answered | undefined;
  /** When its nodes waited. */
  readonly waits: readonly Wait[];
  /** The usage of models; undefined if none is known. */
  readonly tokens: Tokens | undefined;
  /** In US dollars. */
  readonly cost: number | undefined;
  /** The earlier run whose outputs it used. */
  readonly reused: string | undefined;
  /** For a partial run: the decision for each node, by its id. */
  readonly decisions: Readonly<Record<string, NodeDecision>> | undefined;
  /** Why events of it are missing (`not-recorded`, `over-limit`); undefined when all are there. */
  readonly missing: string | undefined;
  /** Highest sequence number applied. */
  readonly seq: number;
}

/** The answer of a run to its caller, without headers. */
export interface Answered {
  /** Status of HTTP. */
  readonly status: number;
  /** Absent for a stream. */
  readonly body?: unknown;
}

/**
 * A run that was started here by hand, with what its caller gets as it comes. `lost`: the connection broke before the end;
 * the run goes on.
 */
export interface HandRun {
  /** Undefined until the server has started it. */
  readonly run: string | undefined;
  readonly state: 'starting' | 'going' | 'ended' | 'refused' | 'lost';
  readonly answer: CallerAnswer | undefined;
  /** The items so far of an answer that is a stream. */
  readonly items: readonly unknown[] | undefined;
  /** The stream had more items than were sent. */
  readonly truncated: boolean;
  /** Why it was not started. */
  readonly refusal: { readonly code: string; readonly message: string } | undefined;
  /** Starts it again, with the same input. */
  again(): Promise<void>;
}

/** The flow as a run executed it, if it differs from the current flow. */
export interface AsRan {
  readonly run: string;
  readonly version: string;
  /** Undefined if this version is not stored: the run is then drawn on the current flow. */
  readonly doc: Doc | undefined;
}

/** A version of the flow, or two of them in one drawing, shown in place of a run. */
export interface ShownVersion {
  /** The version, or `now` for the flow as it is edited. */
  readonly to: string;
  /** The version it is compared with. */
  readonly from: string | undefined;
  readonly doc: Doc;
  readonly changes: readonly FlowChange[];
  readonly marks: Marks | undefined;
}

/** A line of the run list. The origin of a live run is only known when it ends. */
export type RunRow = Omit<RunSummary, 'source'> & { readonly source: RunSummary['source'] | undefined };

/** Actions for parts of the screen; `connectRuns` sets them while a flow is open. */
export interface RunActions {
  /** Shows a run on the canvas and stops following. */
  open(run: string): Promise<void>;
  /** Draws the run of the canvas on the current flow, whatever version it executed. */
  drawOnToday(): void;
  /** Back to the newest run, and to each later one. */
  follow(): void;
  loadRecent(): Promise<void>;
  loadOlder(): Promise<void>;
  clearLog(): void;
  /** Waits for the next call of the draft's test address, and shows its run. */
  listen(): Promise<void>;
  stopListening(): void;
  /** Runs a part of the flow on the canvas, with the outputs of an earlier run for the rest. */
  runPart(wish: PartWish): Promise<void>;
  /** Continues a run: where it failed, or with these outputs in place of the original ones. */
  fork(run: string, outputs?: NodeOutputs): Promise<void>;
  /** Makes manual runs use these outputs and skip the node; without outputs they run it again. */
  pin(node: string, outputs: NodeOutputs[string] | undefined): Promise<void>;
}

/**
 * The known state of the runs of the open flow: from the websocket, or loaded from the history. It is never in the document
 * or its undo steps. `run-feed.ts` applies new events at most once per frame.
 */
export interface RunState {
  readonly connection: 'connecting' | 'open' | 'lost';
  /** Servers whose runs do not come for now. */
  readonly missingServers: readonly string[];
  /** The run on the canvas. */
  readonly shown: ShownRun | undefined;
  /** The flow that the opened run executed, if the flow has changed since. */
  readonly asRan: AsRan | undefined;
  /** Shown until a run is followed or opened; see `versionOf`. */
  readonly version: ShownVersion | undefined;
  /** Why results of the run on the canvas are out of date, by node. */
  readonly stale: Stale;
  /** Untested parts of the flow, while the canvas marks them. */
  readonly coverage: Marks | undefined;
  /** The run that is being loaded to be shown. */
  readonly opening: string | undefined;
  /** Newest first. */
  readonly recent: readonly RunRow[];
  /** Whether `recent` has been loaded. */
  readonly list: 'loading' | 'ready' | 'failed';
  /** Whether the server has older ones. */
  readonly hasOlder: boolean;
  /** Lines of all runs of the flow, oldest first, bounded. */
  readonly log: readonly LogLine[];
  /** Follow mode: show the newest run, until somebody opens a past one. */
  readonly follow: boolean;
  /**
   * Until when the draft's test address accepts callers, Unix milliseconds; `opening` until it does, undefined while nobody
   * listens.
   */
  readonly listeningUntil: number | 'opening' | undefined;
  /** Outputs that manual runs use in place of running their nodes. */
  readonly pins: NodeOutputs;
  /** The last run that was started here by hand. */
  readonly byHand: HandRun | undefined;
  readonly actions: RunActions;
}

export type RunStore = StoreApi<RunState>;

export function createRunStore(): RunStore {
  return createStore<RunState>()(() => ({
    connection: 'connecting',
    missingServers: [],
    shown: undefined,
    asRan: undefined,
    version: undefined,
    stale: NOTHING_STALE,
    coverage: undefined,
    opening: undefined,
    recent: [],
    list: 'loading',
    hasOlder: false,
    log: [],
    follow: true,
    listeningUntil: undefined,
    pins: {},
    byHand: undefined,
    actions: noActions,
  }));
}

const nothing = async (): Promise<void> => {};

/** For the time while no flow is open. */
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
