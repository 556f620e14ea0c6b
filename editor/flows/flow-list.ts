import type { FlowSummary } from '#shared/api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { type Choice, counted } from '../ui/choices.ts';

/** The data of the list of flows, without its looks. */
export type Sort = 'name' | 'changed' | 'run';

/** Which flows are listed; the address of the list says it. */
export interface FlowFilter {
  readonly folder?: string;
  readonly tag?: string;
  /** Only those that the person has marked. */
  readonly favourites?: boolean;
}

export function filterFlows(
  flows: readonly FlowSummary[],
  { folder, tag, favourites }: FlowFilter,
  marked: readonly string[],
): FlowSummary[] {
  return flows.filter(
    (flow) =>
      (folder === undefined || isBelow(flow.folder, folder)) &&
      (tag === undefined || (flow.tags ?? []).includes(tag)) &&
      (!favourites || marked.includes(flow.id)),
  );
}

const isBelow = (folder: string | undefined, outer: string): boolean =>
  folder !== undefined && (folder === outer || folder.startsWith(`${outer}/`));

/** All folders, outer ones too, with the number of flows in them and below them. */
export function foldersOf(flows: readonly FlowSummary[]): Choice[] {
  return counted(
    flows.flatMap(({ folder }) => {
      const names = folder?.split('/') ?? [];
      return names.map((_, i) => names.slice(0, i + 1).join('/'));
    }),
  );
}

export function tagsOf(flows: readonly FlowSummary[]): Choice[] {
  return counted(flows.flatMap(({ tags }) => tags ?? []));
}

export function searchFlows(flows: readonly FlowSummary[], query: string): FlowSummary[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return flows.filter((flow) => {
    const paths = flow.triggers.map(({ path, methods }) => `${methods?.join(' ') ?? ''} ${path ?? ''}`);
    const { id, name, description, state, file, folder, tags = [] } = flow;
    const text = [id, name, description, state, file, folder, ...tags, ...paths].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function sortFlows(
  flows: readonly FlowSummary[],
  sort: Sort,
  lastRuns: ReadonlyMap<string, RunSummary>,
): FlowSummary[] {
  const title = (flow: FlowSummary): string => flow.name ?? flow.id;
  const ran = (flow: FlowSummary): number => lastRuns.get(flow.id)?.startedAt ?? 0;
  return flows.toSorted((a, b) => {
    if (sort === 'changed') return b.updatedAt.localeCompare(a.updatedAt);
    if (sort === 'run' && ran(a) !== ran(b)) return ran(b) - ran(a);
    return title(a).localeCompare(title(b));
  });
}

/** The newest run of each flow; `runs` come newest first. */
export function lastRunOf(runs: readonly RunSummary[]): Map<string, RunSummary> {
  const last = new Map<string, RunSummary>();
  for (const run of runs) if (!last.has(run.flow)) last.set(run.flow, run);
  return last;
}

/** As the picker calls them. */
const TRIGGERS: Readonly<Record<string, string>> = {
  'trigger.chat': 'Chat message',
  'trigger.feed': 'Feed',
  'trigger.iterate': 'Iterate',
  'trigger.manual': 'Manual start',
  'trigger.poll': 'Poll',
  'trigger.schedule': 'Schedule',
};

/** What starts a flow, for a trigger without a path; one of a package is called by its type. */
export function triggerWords(operator: string): string {
  return TRIGGERS[operator] ?? operator;
}
