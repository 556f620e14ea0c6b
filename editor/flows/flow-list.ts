import type { FlowSummary } from '#shared/api.ts';
import { type Flow, ID_PATTERN } from '#shared/flow.ts';
import type { RunSummary } from '#shared/run-event.ts';

/** What the list of flows is made of, apart from its looks. */
export type Sort = 'name' | 'changed' | 'run';

/** An id from a name: `Order triage!` becomes `order_triage`. Empty when nothing usable is left. */
export function idFrom(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const id = plain
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .replace(/_+$/, '')
    .slice(0, 64);
  return ID_PATTERN.test(id) ? id : '';
}

/** The id itself if it is free, else with the first number that makes it free. */
export function freeId(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id;
  for (let n = 2; ; n++) {
    const numbered = `${id.slice(0, 60)}_${n}`;
    if (!taken.has(numbered)) return numbered;
  }
}

export function searchFlows(flows: readonly FlowSummary[], query: string): FlowSummary[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return flows.filter((flow) => {
    const paths = flow.triggers.map(({ path, methods }) => `${methods?.join(' ') ?? ''} ${path ?? ''}`);
    const text = [flow.id, flow.name, flow.description, flow.state, flow.file, ...paths]
      .join(' ')
      .toLowerCase();
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

/** A copy that can be live beside the first: its own id and name, and trigger paths of its own. */
export function copyOf(
  flow: Flow,
  id: string,
  name: string | undefined,
  takenPaths: ReadonlySet<string>,
): Flow {
  const nodes = Object.fromEntries(
    Object.entries(flow.nodes).map(([key, node]) => {
      const path = node.params?.['path'];
      if (!node.operator.startsWith('trigger.') || typeof path !== 'string') return [key, node];
      return [key, { ...node, params: { ...node.params, path: freePath(path, id, takenPaths) } }];
    }),
  );
  const { name: _old, ...rest } = flow;
  return { ...rest, id, ...(name !== undefined && name !== '' && { name }), nodes };
}

/** The path if it is free, else one that says the copy's id instead of its last fixed part. */
function freePath(path: string, id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(path)) return path;
  const parts = path.split('/');
  const last = parts.findLastIndex((part) => part !== '' && !/[{}:*]/.test(part));
  if (last < 0) return `/${id}${path}`;
  return parts.with(last, id).join('/');
}

export function pathsOf(flows: readonly FlowSummary[]): Set<string> {
  return new Set(flows.flatMap((flow) => flow.triggers.flatMap(({ path }) => path ?? [])));
}
