import type { RunError, RunEvent, RunSummary } from '#shared/run-event.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';

/**
 * What is known of the runs of the open flow: from the websocket, or loaded from the history. Never in the document and never
 * in its undo steps. `run-socket.ts` applies what has come at most once a frame.
 */
export type NodeStatus = 'waiting' | 'running' | 'ok' | 'failed' | 'skipped' | 'retrying' | 'abandoned';

export interface NodeRun {
  readonly status: NodeStatus;
  readonly attempt: number;
  readonly startedAt: number | undefined;
  readonly ms: number | undefined;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly error: RunError | undefined;
  readonly skipped: string | undefined;
  /** Items seen on each stream output. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface LogLine {
  readonly run: string;
  readonly seq: number;
  readonly at: number;
  readonly node: string | undefined;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
  readonly data: unknown;
}

export interface ShownRun {
  readonly id: string;
  readonly version: string | undefined;
  readonly status: RunSummary['status'];
  readonly startedAt: number;
  readonly ms: number | undefined;
  readonly error: RunError | undefined;
  readonly input: unknown;
  readonly nodes: Readonly<Record<string, NodeRun>>;
  /** Highest sequence number applied. */
  readonly seq: number;
}

export interface RunState {
  readonly connection: 'connecting' | 'open' | 'lost';
  /** The run on the canvas. */
  readonly shown: ShownRun | undefined;
  /** Newest first. */
  readonly recent: readonly RunSummary[];
  /** Lines of all runs of the flow, oldest first, bounded. */
  readonly log: readonly LogLine[];
  /** Follow the newest run, until somebody opens a past one. */
  readonly follow: boolean;
}

export type RunStore = StoreApi<RunState>;

export function createRunStore(): RunStore {
  return createStore<RunState>()(() => ({
    connection: 'connecting',
    shown: undefined,
    recent: [],
    log: [],
    follow: true,
  }));
}

export const MAX_LOG_LINES = 5_000;
export const MAX_RECENT_RUNS = 100;

const freshNode: NodeRun = {
  status: 'waiting',
  attempt: 1,
  startedAt: undefined,
  ms: undefined,
  outputs: {},
  error: undefined,
  skipped: undefined,
  counts: {},
};

/** The run after one more event; events of a sequence number it has seen change nothing. */
export function applyEvent(run: ShownRun | undefined, event: RunEvent): ShownRun | undefined {
  if (event.kind === 'run-started' && event.run !== run?.id) {
    return {
      id: event.run,
      version: event.version,
      status: 'running',
      startedAt: event.at,
      ms: undefined,
      error: undefined,
      input: event.input,
      nodes: {},
      seq: event.seq,
    };
  }
  if (!run || run.id !== event.run || event.seq <= run.seq) return run;
  const next = { ...run, seq: event.seq };
  switch (event.kind) {
    case 'run-finished':
      return { ...next, status: event.status, ms: event.ms, error: event.error };
    case 'run-started':
    case 'run-answered':
    case 'log':
      return next;
    default:
      return {
        ...next,
        nodes: { ...run.nodes, [event.node]: applyNodeEvent(run.nodes[event.node] ?? freshNode, event) },
      };
  }
}

type NodeEvent = Exclude<RunEvent, { kind: 'run-started' | 'run-finished' | 'run-answered' | 'log' }>;

function applyNodeEvent(node: NodeRun, event: NodeEvent): NodeRun {
  switch (event.kind) {
    case 'node-started':
      return { ...node, status: 'running', attempt: event.attempt, startedAt: event.at };
    case 'node-output':
      return { ...node, outputs: { ...node.outputs, [event.port]: event.value } };
    case 'node-chunk':
      return { ...node, counts: { ...node.counts, [event.port]: event.count } };
    case 'node-retrying':
      return { ...node, status: 'retrying', error: event.error };
    case 'node-skipped':
      return { ...node, status: 'skipped', skipped: event.reason };
    case 'node-failed':
      return { ...node, status: 'failed', error: event.error };
    case 'node-finished':
      return { ...node, status: 'ok', ms: event.ms };
    case 'node-waiting':
      return { ...node, status: 'waiting' };
    case 'node-abandoned':
      return { ...node, status: 'abandoned' };
  }
}
