import type { Catalog } from '#shared/catalog.ts';
import type { FlowNode } from '#shared/flow.ts';
import { hasTemplate } from '../expr/index.ts';
import { visitParams } from './param-values.ts';
import { operatorInfo } from './ports.ts';
import { setAt } from './set-at.ts';

/**
 * The node with a new text for each param that holds expressions; the same node if none changes. With a catalog, params in
 * which `{{ }}` is plain text stay as they are.
 */
export function changeTemplates(
  node: FlowNode,
  catalog: Catalog | undefined,
  change: (text: string) => string,
): FlowNode {
  let { params } = node;
  visitParams(params, catalog && operatorInfo(catalog, node.operator), ({ path, value, literal }) => {
    if (typeof value !== 'string' || literal || !hasTemplate(value)) return;
    const text = change(value);
    if (text !== value) params = setAt(params, path.slice(1), () => text) as FlowNode['params'];
  });
  return params && params !== node.params ? { ...node, params } : node;
}
