import { type Flow, ID_PATTERN } from './flow.ts';

/** Ids, names and paths of new flows that are made from others. */

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

/** The id itself if it is free, otherwise with the first number that makes it free. */
export function freeId(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id;
  for (let n = 2; ; n++) {
    const numbered = `${id.slice(0, 60)}_${n}`;
    if (!taken.has(numbered)) return numbered;
  }
}

/** A copy that can be live beside the original: with its own id, name and trigger paths. */
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

/** The path if it is free, otherwise with the copy's id in place of its last fixed part. */
function freePath(path: string, id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(path)) return path;
  const parts = path.split('/');
  const last = parts.findLastIndex((part) => part !== '' && !/[{}:*]/.test(part));
  if (last < 0) return `/${id}${path}`;
  return parts.with(last, id).join('/');
}
