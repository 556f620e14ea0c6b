import type { Catalog } from '#shared/catalog.ts';
import type { FlowNode } from '#shared/flow.ts';
import { clockReads, parseTemplate, type ReadPath, readsOf, replaceReads } from '../expr/index.ts';
import { mapNodes, placedNodes, usedIds } from '../flow/bodies.ts';
import { changeTemplates } from '../flow/change-templates.ts';

type Nodes = Readonly<Record<string, FlowNode>>;

/** What nodes read of all that is not theirs. */
export interface OuterReads {
  /** By the id of the node; `strict` if a read of it fails where it was skipped. */
  readonly nodes: ReadonlyMap<string, { readonly strict: boolean }>;
  /** `trigger` and `run`, as far as they are read. */
  readonly roots: ReadonlySet<string>;
  /** The functions that give the time, such as `now`. */
  readonly clock: ReadonlySet<string>;
}

/** The reads of nodes and of all in their bodies; `own` are the ids that are not outside. */
export function outerReads(nodes: Nodes, own: ReadonlySet<string>, catalog: Catalog): OuterReads {
  const read = new Map<string, { strict: boolean }>();
  const roots = new Set<string>();
  const clock = new Set<string>();
  eachExpression(nodes, catalog, (_, { reads, functions }) => {
    for (const name of functions) clock.add(name);
    for (const { root, path, tolerant } of reads) {
      const [id] = path;
      if (root === 'trigger' || root === 'run') roots.add(root);
      if (root !== 'nodes' || id === undefined || own.has(id)) continue;
      read.set(id, { strict: !tolerant || read.get(id)?.strict === true });
    }
  });
  return { nodes: read, roots, clock };
}

const NONE: ReadonlySet<string> = new Set();

/** The nodes with an expression that reads the node `id`, those in bodies included; `except` and what is in them do not count. */
export function readersOf(
  nodes: Nodes,
  id: string,
  catalog: Catalog,
  except: ReadonlySet<string> = NONE,
): string[] {
  const readers = new Set<string>();
  eachExpression(nodes, catalog, (reader, { reads, within }) => {
    if (except.has(reader) || within.some((around) => except.has(around))) return;
    if (reads.some(({ root, path }) => root === 'nodes' && path[0] === id)) readers.add(reader);
  });
  return [...readers];
}

interface Expressions {
  readonly reads: readonly ReadPath[];
  readonly functions: readonly string[];
  /** The nodes around the one that reads. */
  readonly within: readonly string[];
}

function eachExpression(nodes: Nodes, catalog: Catalog, visit: (node: string, found: Expressions) => void) {
  for (const { id, node, within } of placedNodes(nodes)) {
    changeTemplates(node, catalog, (text) => {
      const parsed = parseTemplate(text);
      for (const part of parsed.ok ? parsed.template.parts : [])
        if (typeof part !== 'string')
          visit(id, { reads: readsOf(part.ast), functions: clockReads(part.ast), within });
      return text;
    });
  }
}

/** All ids within nodes, starts of bodies included. */
export function idsIn(nodes: Nodes): Set<string> {
  return usedIds({ nodes: nodes as Record<string, FlowNode> });
}

/** The nodes with other reads; `replaced` gives the new beginning of a read, from its root on. */
export function withReads(
  nodes: Nodes,
  catalog: Catalog,
  replaced: Parameters<typeof replaceReads>[1],
): Record<string, FlowNode> {
  return mapNodes(nodes, (_, node) => changeTemplates(node, catalog, (text) => replaceReads(text, replaced)));
}

/** A read of one node that becomes a read of another. */
interface Instead {
  readonly from: string;
  readonly to: string;
}

/** The nodes that read one node in place of another; `except` and what is in them stay as they are. */
export function readingInstead(
  nodes: Nodes,
  catalog: Catalog,
  { except = NONE, ...names }: Instead & { readonly except?: ReadonlySet<string> },
): Record<string, FlowNode> {
  return readingIf(
    nodes,
    catalog,
    names,
    (id, within) => !except.has(id) && !within.some((one) => except.has(one)),
  );
}

/** The same in one node and in what is in it only. */
export function readingIn(
  nodes: Nodes,
  catalog: Catalog,
  { node, ...names }: Instead & { readonly node: string },
): Record<string, FlowNode> {
  return readingIf(nodes, catalog, names, (id, within) => id === node || within.includes(node));
}

function readingIf(
  nodes: Nodes,
  catalog: Catalog,
  { from, to }: Instead,
  isMeant: (id: string, within: readonly string[]) => boolean,
): Record<string, FlowNode> {
  const changed = (text: string): string =>
    replaceReads(text, (root, [link]) =>
      root === 'nodes' && link?.name === from
        ? { names: 1, by: `nodes${link.optional ? '?.' : '.'}${to}` }
        : undefined,
    );
  const meant = new Set(
    [...placedNodes(nodes)].filter(({ id, within }) => isMeant(id, within)).map(({ id }) => id),
  );
  return mapNodes(nodes, (id, node) => (meant.has(id) ? changeTemplates(node, catalog, changed) : node));
}
