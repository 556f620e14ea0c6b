import type { RunEvent, RunStatus } from '#shared/run-event.ts';
import { NO_ROUNDS, RoundChanges, withPicked } from './rounds.ts';
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
  summary: Pick<RunRow, 'run' | 'version' | 'trigger' | 'status' | 'startedAt' | 'ms' | 'error'> &
    Partial<Pick<RunRow, 'tokens' | 'cost' | 'source'>>,
): ShownRun {
  const { run, version, trigger, status, startedAt, ms, error } = summary;
  const known = { id: run, version, trigger, source: summary.source, status, startedAt, ms, error };
  return {
    ...known,
    input: undefined,
    nodes: {},
    ...NO_ROUNDS,
    answered: undefined,
    waits: [],
    tokens: summary.tokens,
    cost: summary.cost,
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
  let changes: RunChanges | undefined;
  for (const event of events) {
    const known = changes?.run ?? run;
    if (event.kind === 'run-started' && event.run !== known?.id) changes = new RunChanges(runOf(event));
    else if (!known || !isNews(known, event)) continue;
    else changes ??= new RunChanges(known);
    changes.take(event);
  }
  return changes?.end() ?? run;
}

function isNews({ id, seq }: ShownRun, event: RunEvent): boolean {
  return id === event.run && event.seq > seq;
}

/** A run while events change it. */
class RunChanges {
  readonly run: Changing;
  private nodes: Record<string, NodeRun> | undefined;
  private readonly rounds = new RoundChanges();

  constructor(run: ShownRun) {
    this.run = { ...run };
  }

  take(event: RunEvent): void {
    const { run } = this;
    run.seq = event.seq;
    if (event.kind !== 'run-finished') run.status = carriedOn(run.status);
    if (event.kind === 'node-rounds') this.rounds.count(run, event);
    else if (isOfNode(event)) this.takeOfNode(event);
    else {
      Object.assign(run, ofRun(event, run.nodes));
      if (run.nodes !== this.nodes) this.nodes = undefined;
    }
  }

  private takeOfNode(event: NodeEvent): void {
    const { run } = this;
    const { round, node } = event;
    if (round !== undefined) {
      this.rounds.change(run, { round, node }, (before) => applyNodeEvent(before, event));
      return;
    }
    this.nodes ??= { ...run.nodes };
    this.nodes[node] = applyNodeEvent(this.nodes[node], event);
    run.nodes = this.nodes;
    run.waits = waitsAfter(run.waits, event);
  }

  end(): ShownRun {
    return this.rounds.areChanged ? withPicked(this.run) : this.run;
  }
}

function runOf({ run, version, trigger, at }: RunStarted): ShownRun {
  return shownFrom({ run, version, trigger, status: 'running', startedAt: at });
}

/** The change of the run itself by an event. */
function ofRun(event: RunEvent, nodes: ShownRun['nodes']): Partial<ShownRun> {
  if (event.kind === 'run-started') {
    const { version, trigger, input } = event;
    return { ...partOf(event), version, trigger, input };
  }
  if (event.kind === 'run-answered') {
    return { answered: { status: event.status, ...('body' in event && { body: event.body }) } };
  }
  if (event.kind !== 'run-finished') return {};
  const { status, ms, error, tokens, cost } = event;
  return { status, ms, error, tokens, cost, nodes: settled(nodes, status) };
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

/** Whether an event changes what is shown of a node. */
function isOfNode(event: RunEvent): event is NodeEvent {
  return !WITHOUT_EFFECT.has(event.kind);
}

/** A wait ends with the next event of its node. */
function waitsAfter(waits: ShownRun['waits'], { kind, node, at }: NodeEvent): ShownRun['waits'] {
  const isOpen = (wait: ShownRun['waits'][number]): boolean => wait.node === node && wait.to === undefined;
  const before = waits.some(isOpen)
    ? waits.map((wait) => (isOpen(wait) ? { ...wait, to: at } : wait))
    : waits;
  return kind === 'node-waiting' ? [...before, { node, from: at, to: undefined }] : before;
}

function applyNodeEvent(before: NodeRun | undefined, event: NodeEvent): NodeRun {
  const node = before ?? freshNode;
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
