import type { Catalog } from '#shared/catalog.ts';
import type { FlowNode } from '#shared/flow.ts';
import { isRecord } from '#shared/json.ts';
import { hasTemplate } from '../expr/index.ts';
import type { Path } from './field-path.ts';
import { visitParams } from './param-values.ts';
import { operatorInfo } from './ports.ts';
import { setAt } from './set-at.ts';

/** The fields of a node that contain expressions besides its params. */
const OTHER_TEMPLATES: readonly Path[] = [
  ['cache', 'key'],
  ['each', 'items'],
];

/**
 * The node with a new text for each expression in its params and elsewhere; the same node if none changes. With a catalog, params
 * in which `{{ }}` is plain text stay unchanged.
 */
export function changeTemplates(
  node: FlowNode,
  catalog: Catalog | undefined,
  change: (text: string) => string,
): FlowNode {
  let changed = node;
  const take = (path: Path, value: unknown): void => {
    if (typeof value !== 'string' || !hasTemplate(value)) return;
    const text = change(value);
    if (text !== value) changed = setAt(changed, path, () => text) as FlowNode;
  };
  visitParams(node.params, catalog && operatorInfo(catalog, node.operator), ({ path, value, literal }) => {
    if (!literal) take(path, value);
  });
  for (const path of OTHER_TEMPLATES) take(path, valueAt(node, path));
  return changed;
}

/** The expressions of a node besides those in its params. */
export function otherTemplates(node: FlowNode): { readonly path: Path; readonly text: string }[] {
  return OTHER_TEMPLATES.flatMap((path) => {
    const text = valueAt(node, path);
    return typeof text === 'string' && hasTemplate(text) ? [{ path, text }] : [];
  });
}

function valueAt(node: FlowNode, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), node);
}
