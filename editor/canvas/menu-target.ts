import type { Session } from '../commands/command.ts';
import type { EdgeId } from '../model/document.ts';
import { noteOfKey } from '../model/notes.ts';

export type MenuTarget = 'node' | 'edge' | 'canvas' | 'selection';

/** For a context menu: selects what was pressed on (unless it is part of a larger selection) and says what kind it is. */
export function menuTargetOf({ editor }: Session, pressed: Element): MenuTarget {
  const { selectedNodes, selectedEdges, selectedNotes, select } = editor.getState();
  const node = pressed.closest<HTMLElement>('.react-flow__node')?.dataset['id'];
  // The buttons of an edge lie above it.
  const edge =
    pressed.closest<SVGElement>('.react-flow__edge')?.dataset['id'] ??
    pressed.closest<HTMLElement>('[data-edge]')?.dataset['edge'];
  const many = selectedNodes.size + selectedNotes.size > 1;
  if (node !== undefined) {
    const note = noteOfKey(node);
    const isIn = note === undefined ? selectedNodes.has(node) : selectedNotes.has(note);
    if (isIn && many) return 'selection';
    if (note === undefined) select([node]);
    else select([], [], [note]);
    return note === undefined ? 'node' : 'selection';
  }
  if (edge !== undefined) {
    if (!selectedEdges.has(edge as EdgeId)) select([], [edge as EdgeId]);
    return 'edge';
  }
  return pressed.closest('.react-flow__nodesselection') ? 'selection' : 'canvas';
}
