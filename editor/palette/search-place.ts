import { operatorsFor } from '../model/document/fits.ts';
import { portsOfNode } from '../model/document/geometry.ts';
import type { SearchPlace } from '../model/search.ts';
import type { EditorState } from '../state/editor-store.ts';

/** Where a found node will go: onto an empty canvas, or behind the one that is selected. */
export function searchPlace({ doc, catalog, selectedNodes }: EditorState, isBeside = false): SearchPlace {
  const isEmpty = Object.keys(doc.flow.nodes).length === 0;
  const [selected] = selectedNodes;
  if (selected === undefined || !isBeside) return { isEmpty };
  const [port] = portsOfNode(doc, catalog, selected).outputs;
  if (!port) return { isEmpty };
  const fits = operatorsFor(doc, catalog, { wire: { from: `${selected}.${port.name}` } });
  return { isEmpty, fitting: new Set(fits.map((fit) => fit.type)) };
}
