import { ID_PATTERN } from '#shared/flow.ts';
import type { Draft } from 'immer';
import { renameNode } from '#engine/edit';
import type { Doc } from './document.ts';
import { flatFlow, graphOf } from './flat.ts';

/**
 * Renames a node's id; edges, expressions and layout follow. Separate from the other edits, so that opening a flow does not
 * load the expression language.
 */
export function renameNodeId(draft: Draft<Doc>, from: string, to: string): void {
  if (from === to || !ID_PATTERN.test(to) || Object.hasOwn(flatFlow(draft.flow as Doc['flow']).nodes, to))
    return;
  draft.flow = renameNode(draft.flow as Doc['flow'], from, to) as Draft<Doc>['flow'];
  if (!graphOf(draft.flow, to)) return;
  const place = draft.layout.nodes[from];
  if (place) {
    draft.layout.nodes[to] = place;
    delete draft.layout.nodes[from];
  }
  for (const group of draft.layout.groups ?? [])
    group.nodes = group.nodes.map((id) => (id === from ? to : id));
}
