import { type FocusEvent, type KeyboardEvent, useMemo } from 'react';
import type { Session } from '../commands/command.ts';
import type { EdgeId } from '../model/document/document.ts';
import { noteOfKey } from '../model/document/notes.ts';
import { useSession } from '../session/session.tsx';
import { type CanvasStore, useCanvasStore } from './canvas-store.ts';
import { showKeys } from './use-viewport.ts';
import { cancelWire } from './wire.ts';

/** Keys that belong to the focused element; all others are commands and come from the app's own key handler. */
export function useCanvasKeys() {
  const session = useSession();
  const canvas = useCanvasStore();
  return useMemo(
    () => ({
      onKeyDownCapture: (event: KeyboardEvent) => {
        const isOurs = event.key === 'Escape' && session.ui.getState().overlay === undefined;
        if (!isOurs || !canvas.getState().wire) return;
        event.preventDefault();
        event.stopPropagation();
        cancelWire(session, canvas);
      },
      onKeyDown: (event: KeyboardEvent) => chooseFocused(session, canvas, event),
      onFocus: (event: FocusEvent) => followFocus(session, canvas, event.target),
    }),
    [session, canvas],
  );
}

/** Space selects the focused element; Enter does too, and then opens it with the command of this key. */
function chooseFocused(session: Session, canvas: CanvasStore, event: KeyboardEvent): void {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
  if ((event.key !== ' ' && event.key !== 'Enter') || !isPlain) return;
  const { classList, dataset } = event.target as HTMLElement | SVGElement;
  const id = dataset['id'];
  if (id === undefined) return;
  if (classList.contains('react-flow__edge')) {
    event.preventDefault();
    session.editor.getState().select([], [id as EdgeId]);
  } else if (classList.contains('react-flow__node')) {
    if (event.key === ' ') event.preventDefault();
    chooseNode(session, canvas, id, event);
  }
}

function chooseNode({ editor }: Session, canvas: CanvasStore, id: string, event: KeyboardEvent): void {
  const note = noteOfKey(id);
  if (note === undefined) {
    editor.getState().select([id]);
    return;
  }
  editor.getState().select([], [], [note]);
  if (event.key !== 'Enter') return;
  event.preventDefault();
  event.stopPropagation();
  canvas.setState({ editingNote: note });
}

/**
 * Tab goes from node to node, and from the focused node to its ports. The ports of all other nodes are skipped, since there
 * may be hundreds.
 */
function followFocus(session: Session, canvas: CanvasStore, target: EventTarget): void {
  if (!(target instanceof HTMLElement)) return;
  const node = target.closest<HTMLElement>('.react-flow__node');
  const entered = node?.matches(':focus-within') && target.matches(':focus-visible') ? node : undefined;
  canvas.setState({ focusedNode: entered?.dataset['id'] });
  const { id } = target.dataset;
  if (entered === target && id !== undefined) showKeys(session, [id]);
}
