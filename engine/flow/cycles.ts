/**
 * The strongly connected components of a graph in topological order; in an acyclic graph each node is its own component.
 * Tarjan's algorithm with an explicit stack, so that a long path cannot overflow the call stack. Deterministic: it follows
 * the order of `ids` and of `next`.
 */
export function components(ids: readonly string[], next: (id: string) => readonly string[]): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open = new Set<string>();
  const stack: string[] = [];
  const found: string[][] = [];
  const enter = (id: string): Frame => {
    low.set(id, index.size);
    index.set(id, index.size);
    open.add(id);
    stack.push(id);
    return { id, targets: next(id), at: 0 };
  };
  const lower = (id: string, to: number): void => void low.set(id, Math.min(low.get(id) as number, to));
  const leave = (id: string, parent: string | undefined): void => {
    if (parent !== undefined) lower(parent, low.get(id) as number);
    if (low.get(id) !== index.get(id)) return;
    // All nodes opened since this one form its component.
    const component = stack.splice(stack.lastIndexOf(id));
    for (const member of component) open.delete(member);
    found.push(component);
  };
  const visit = (start: string): void => {
    const path = [enter(start)];
    for (let frame = path.at(-1); frame; frame = path.at(-1)) {
      const target = frame.targets[frame.at++];
      if (target === undefined) {
        path.pop();
        leave(frame.id, path.at(-1)?.id);
      } else if (!index.has(target)) path.push(enter(target));
      else if (open.has(target)) lower(frame.id, index.get(target) as number);
    }
  };
  for (const start of ids) if (!index.has(start)) visit(start);
  return found.reverse();
}

interface Frame {
  readonly id: string;
  readonly targets: readonly string[];
  at: number;
}

/** One whole cycle within a component, the shortest through its smallest node; undefined if it has none. */
export function cycleIn(
  component: readonly string[],
  next: (id: string) => readonly string[],
): string[] | undefined {
  const inside = new Set(component);
  const start = component.toSorted()[0] as string;
  const from = new Map<string, string>();
  const queue = [start];
  for (const id of queue) {
    for (const target of next(id)) {
      if (target === start) return pathBack(from, start, id);
      if (!inside.has(target) || from.has(target)) continue;
      from.set(target, id);
      queue.push(target);
    }
  }
  return undefined;
}

function pathBack(from: ReadonlyMap<string, string>, start: string, end: string): string[] {
  const path = [end];
  for (let id = end; id !== start; path.push(id)) id = from.get(id) as string;
  return path.reverse();
}
