import type { EdgeId } from '../model/document/document.ts';
import { mapOnto, mapOntoEdge } from '../model/document/map-path.ts';
import { drawnPast } from '../state/drawn.ts';
import type { DraggedPath } from '../ui/path-drag.ts';
import { AS_IT_WAS, type Session } from './command.ts';

/** Makes an edge bring a dragged value to an input, or the edge itself onto which it is dropped, as one step. Returns why not. */
export function mapValue(
  { editor, runs, ui }: Session,
  { path, node }: DraggedPath,
  onto: { readonly input: string } | { readonly edge: EdgeId },
): string | undefined {
  if (drawnPast(runs.getState())) return AS_IT_WAS;
  const { doc, catalog, commit, refreshProblems } = editor.getState();
  const change =
    'edge' in onto
      ? mapOntoEdge(doc, catalog, { path, node }, onto.edge)
      : mapOnto(doc, catalog, { path, node }, onto.input);
  if (typeof change === 'string') return change;
  commit(`Map ${path}`, change);
  refreshProblems();
  const to = 'edge' in onto ? onto.edge.split('>')[1] : onto.input;
  ui.setState({ announcement: `${to} gets ${path}` });
  return undefined;
}
