import type { RunEvent, RunStatus } from '#shared/run-event.ts';
import type { NodeRun, RunRow, ShownRun } from './run-store.ts';

/** How the events of a run change its displayed state. */

const freshNode: NodeRun = {
  status: 'waiting',
  attempt: 1,
  startedAt: undefined,
  ms: undefined,
  outputs: {},
  error: undefined,
  handled: undefined,
  skipped: undefined,
  waitingFor: undefined,
  counts: {},
};

/** A run without known events. */
export function shownFrom(
  summary: Pick<RunRow, 'run' | 'version' | 'trigger' | 'status' | 'startedAt' | 'ms' | 'error'>,
): ShownRun {
  const { run, version, trigger, status, startedAt, ms, error } = summary;
  const known = { id: run, version, trigger, status, startedAt, ms, error };
  return {
    ...known,
    input: undefined,
    nodes: {},
    reused: undefined,
    decisions: undefined,
    missing: undefined,
    seq: 0,
  };
}

/** How much of the flow the run executes, from its start event. */
function partOf({ inPart }: RunStarted): Pick<ShownRun, 'reused' | 'decisions'> {
  return {
    reused: inPart?.reused,
    decisions: inPart && Object.fromEntries(inPart.decisions.map((one) => [one.node, one])),
  };
}

type RunStarted = Extract<RunEvent, { kind: 'run-started' }>;

type Changing = { -readonly [K in keyof ShownRun]: ShownRun[K] };

/**
 * The run after these events, in their order; an event with a known sequence number changes nothing. The run and its nodes are
 * copied once for all of them: runs of a thousand nodes send thousands of events a second.
 */
export function applyEvents(run: ShownRun | undefined, events: readonly RunEvent[]): ShownRun | undefined {
  let now: Changing | undefined;
  let nodes: Record<string, NodeRun> | undefined;
  for (const event of events) {
    const known = now ?? run;
    const isStart = event.kind === 'run-started' && event.run !== known?.id;
    if (!isStart && (!known || known.id !== event.run || event.seq <= known.seq)) continue;
    if (isStart) [now, nodes] = [{ ...runOf(event) }, undefined];
    now ??= { ...(known as ShownRun) };
    now.seq = event.seq;
    if (event.kind !== 'run-finished') now.status = carriedOn(now.status);
    if (isOfNode(event)) {
      nodes ??= { ...now.nodes };
      nodes[event.node] = applyNodeEvent(nodes[event.node] ?? freshNode, event);
      now.nodes = nodes;
    } else {
      Object.assign(now, ofRun(event, now.nodes));
      if (now.nodes !== nodes) nodes = undefined;
    }
  }
  return now ?? run;
}

function runOf({ run, version, trigger, at }: RunStarted): ShownRun {
  return shownFrom({ run, version, trigger, status: 'running', startedAt: at });
}

/** What an event tells of the run itself. */
function ofRun(event: RunEvent, nodes: ShownRun['nodes']): Partial<ShownRun> {
  if (event.kind === 'run-started') {
    const { version, trigger, input } = event;
    return { ...partOf(event), version, trigger, input };
  }
  if (event.kind !== 'run-finished') return {};
  const { status, ms, error } = event;
  return { status, ms, error, nodes: settled(nodes, status) };
}

/** A waiting run that sends an event is running again. */
function carriedOn(status: ShownRun['status']): ShownRun['status'] {
  return status === 'waiting' ? 'running' : status;
}

/** Nothing continues in a run that is over: unfinished nodes were abandoned, or cancelled with the run. */
function settled(nodes: ShownRun['nodes'], end: RunStatus): ShownRun['nodes'] {
  const status = end === 'cancelled' ? 'cancelled' : 'abandoned';
  const isOpen = ({ status }: NodeRun): boolean =>
    status === 'running' || status === 'retrying' || status === 'waiting';
  if (!Object.values(nodes).some(isOpen)) return nodes;
  return Object.fromEntries(
    Object.entries(nodes).map(([id, node]) => [id, isOpen(node) ? { ...node, status } : node]),
  );
}

/** The error of a node that was running when its run was cancelled. */
const CANCELLED = 'run_cancelled';

type NodeEvent = Exclude<
  RunEvent,
  { kind: 'run-started' | 'run-finished' | 'run-answered' | 'log' | 'node-queued' | 'node-rounds' }
>;

const WITHOUT_EFFECT: ReadonlySet<RunEvent['kind']> = new Set([
  'run-started',
  'run-finished',
  'run-answered',
  'log',
  'node-queued',
  'node-rounds',
]);

/** Whether an event changes what is shown of a node; nodes of bodies are not shown. */
function isOfNode(event: RunEvent): event is NodeEvent {
  return !WITHOUT_EFFECT.has(event.kind) && event.round === undefined;
}

function applyNodeEvent(node: NodeRun, event: NodeEvent): NodeRun {
  switch (event.kind) {
    case 'node-started':
      return {
        ...node,
        status: 'running',
        attempt: event.attempt,
        startedAt: event.at,
        waitingFor: undefined,
      };
    case 'node-output':
      return { ...node, outputs: { ...node.outputs, [event.port]: event.value } };
    case 'node-chunk':
      return { ...node, counts: { ...node.counts, [event.port]: event.count } };
    case 'node-retrying':
      return { ...node, status: 'retrying', error: event.error };
    case 'node-skipped':
      return { ...node, status: 'skipped', skipped: event.reason };
    case 'node-failed':
      return {
        ...node,
        status: event.error.code === CANCELLED ? 'cancelled' : 'failed',
        error: event.error,
        handled: event.handled,
        ms: msSince(node, event.at),
      };
    case 'node-finished':
      return finished(node, event);
    case 'node-waiting':
      return { ...node, status: 'waiting', waitingFor: event.for };
    case 'node-abandoned':
      return { ...node, status: 'abandoned', ms: msSince(node, event.at) };
  }
}

function finished(node: NodeRun, { ms, cache }: Extract<RunEvent, { kind: 'node-finished' }>): NodeRun {
  return { ...node, status: 'ok', ms, error: undefined, waitingFor: undefined, ...(cache && { cache }) };
}

/** Its duration; unknown if the times were not taken as it happened (all are then those of the run's start). */
function msSince({ startedAt }: NodeRun, at: number): number | undefined {
  return startedAt === undefined || at === startedAt ? undefined : at - startedAt;
}
