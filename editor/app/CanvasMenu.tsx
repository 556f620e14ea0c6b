import { type MouseEvent, type ReactNode, useState } from 'react';
import type { Command, Session } from '../commands/command.ts';
import { loadCommands, loadedCommands, whenAsked } from '../commands/loaded.ts';
import { ContextMenu } from '../ui/ContextMenu.tsx';
import type { MenuEntry } from '../ui/menu-entry.ts';
import { menuEntry } from '../session/menu-entries.ts';
import { useSession } from '../session/session.tsx';
import type { EdgeId } from '../model/document/document.ts';
import { noteOfKey } from '../model/document/notes.ts';
import type { EditorState } from '../state/editor-store.ts';

/** The context menu of the canvas: the commands for the element under the pointer, with a line between groups. */
export function CanvasMenu({ children }: { children: ReactNode }) {
  const session = useSession();
  const [entries, setEntries] = useState<readonly MenuEntry[]>([]);
  const onOpen = (event: MouseEvent): void => {
    const menu = menuTargetOf(session, event.target as Element);
    const show = ({ commandsOfMenu }: NonNullable<ReturnType<typeof loadedCommands>>): void =>
      setEntries(
        commandsOfMenu(menu).flatMap((command, i, all) => [
          ...separatorBefore(command, all[i - 1]),
          menuEntry(command, session),
        ]),
      );
    const index = loadedCommands();
    if (index) show(index);
    else whenAsked(session, loadCommands(), show);
  };
  return (
    <ContextMenu area={<div className="h-full" />} entries={entries} onOpen={onOpen}>
      {children}
    </ContextMenu>
  );
}

function separatorBefore(command: Command, previous: Command | undefined): MenuEntry[] {
  const isNewGroup = previous !== undefined && previous.group !== command.group;
  return isNewGroup ? [{ id: `before-${command.id}`, separator: true }] : [];
}

type MenuTarget = 'node' | 'edge' | 'canvas' | 'selection';

/** For a context menu: selects the pressed element (unless it is part of a larger selection) and returns its kind. */
function menuTargetOf({ editor }: Session, pressed: Element): MenuTarget {
  const { selectedEdges, select } = editor.getState();
  const node = pressed.closest<HTMLElement>('.react-flow__node')?.dataset['id'];
  // The buttons of an edge lie above it.
  const edge =
    pressed.closest<SVGElement>('.react-flow__edge')?.dataset['id'] ??
    pressed.closest<HTMLElement>('[data-edge]')?.dataset['edge'];
  if (node !== undefined) return nodeTarget(editor.getState(), node);
  if (edge !== undefined) {
    if (!selectedEdges.has(edge as EdgeId)) select([], [edge as EdgeId]);
    return 'edge';
  }
  return pressed.closest('.react-flow__nodesselection') ? 'selection' : 'canvas';
}

/** A node, or a note, which the canvas draws as one. */
function nodeTarget({ selectedNodes, selectedNotes, select }: EditorState, key: string): MenuTarget {
  const note = noteOfKey(key);
  const isIn = note === undefined ? selectedNodes.has(key) : selectedNotes.has(note);
  if (isIn && selectedNodes.size + selectedNotes.size > 1) return 'selection';
  if (note === undefined) select([key]);
  else select([], [], [note]);
  return note === undefined ? 'node' : 'selection';
}
