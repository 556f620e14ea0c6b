import type { Flow } from '#shared/flow.ts';
import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import type { KnownFlows } from '../known-flows.ts';
import { nodeTimes, type RunTimes } from './node-times.ts';
import type { RunReads } from '../run-reads.ts';

/** A run with the runs that are parts of it. */
export interface RunTree extends RunTimes {
  readonly summary: RunSummary;
  /** Unix milliseconds. */
  readonly end: number;
  /** The flow as it ran; undefined if that version is not stored. */
  readonly flow: Flow | undefined;
  readonly parts: readonly RunTree[];
  /** What is recorded of it, by round; events of the run itself are under undefined. */
  readonly events: ReadonlyMap<string | undefined, readonly RunEvent[]>;
}

export interface TreeDeps {
  readonly runs: Pick<RunReads, 'get' | 'list' | 'events'>;
  readonly flowAt: KnownFlows['at'];
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** The most reported parts of a run, over all levels. */
const MAX_PARTS = 1000;

/** Undefined for an unknown run. `cut` if it has more parts than the tree shows. */
export async function runTree(
  id: string,
  deps: TreeDeps,
): Promise<{ tree: RunTree; cut: boolean } | undefined> {
  const summary = await deps.runs.get(id);
  if (summary === undefined) return undefined;
  const reader = new TreeReader(deps);
  return { tree: await reader.read(summary), cut: reader.isCut };
}

class TreeReader {
  isCut = false;
  private readonly deps: TreeDeps;
  private left = MAX_PARTS;
  /** A loop calls one flow many times. */
  private readonly flows = new Map<string, Promise<Flow | undefined>>();

  constructor(deps: TreeDeps) {
    this.deps = deps;
  }

  async read(summary: RunSummary): Promise<RunTree> {
    const { run, startedAt, ms } = summary;
    const end = ms === undefined ? Math.max(this.deps.now(), startedAt) : startedAt + ms;
    const [events, flow] = await Promise.all([this.eventsOf(summary), this.flowOf(summary)]);
    const parts: RunTree[] = [];
    for (const part of await this.partsOf(run)) parts.push(await this.read(part));
    const byRound = Map.groupBy(events, ({ round }) => round);
    return { summary, end, flow, parts, events: byRound, ...nodeTimes(events, end) };
  }

  private async eventsOf({ run, recorded }: RunSummary) {
    const seen = recorded ? await this.deps.runs.events(run, 0) : undefined;
    return (seen ?? []).flatMap((event) => (event.kind === 'gap' ? [] : [event]));
  }

  private flowOf({ flow, version }: RunSummary): Promise<Flow | undefined> {
    const key = `${flow}@${version}`;
    const known = this.flows.get(key) ?? this.deps.flowAt(flow, version);
    this.flows.set(key, known);
    return known;
  }

  /** Oldest first. */
  private async partsOf(parent: string): Promise<RunSummary[]> {
    const found = await this.deps.runs.list({ parent, limit: this.left + 1 });
    const oldest = found.reverse();
    if (oldest.length > this.left) this.isCut = true;
    const kept = oldest.slice(0, this.left);
    this.left -= kept.length;
    return kept;
  }
}
