import { mapOnto } from '../model/document/map-path.ts';
import { drawnPast } from '../state/drawn.ts';
import type { DraggedPath } from '../ui/path-drag.ts';
import { AS_IT_WAS, type Session } from './command.ts';

/** Makes an edge bring a dragged value to an input, as one step. Returns why not. */
export function mapValue(
  { editor, runs, ui }: Session,
  dragged: DraggedPath,
  to: string,
): string | undefined {
  if (drawnPast(runs.getState())) return AS_IT_WAS;
  const { doc, catalog, commit, refreshProblems } = editor.getState();
  const change = mapOnto(doc, catalog, { path: dragged.path, node: dragged.node }, to);
  if (typeof change === 'string') return change;
  commit(`Map ${dragged.path}`, change);
  refreshProblems();
  ui.setState({ announcement: `${to} gets ${dragged.path}` });
  return undefined;
}
