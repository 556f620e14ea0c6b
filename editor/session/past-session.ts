import { useMemo } from 'react';
import { useStore } from 'zustand';
import { AS_IT_WAS, type Session } from '../commands/command.ts';
import type { Doc } from '../model/document.ts';
import { createEditorStore } from '../state/editor-store.ts';
import { drawnPast } from '../state/drawn.ts';

/** The session of the past state of the flow that is looked at; undefined while the flow of today is. */
export function usePastSession(today: Session): Session | undefined {
  const doc = useStore(today.runs, drawnPast);
  // Which state holds is decided on what is edited now.
  const isConflict = useStore(today.ui, ({ overlay }) => overlay?.kind === 'conflict');
  const past = useMemo(() => doc && pastSession(today, doc), [today, doc]);
  return isConflict ? undefined : past;
}

/** Selection and looks are its own; changes are refused, whatever asks for them. */
function pastSession(today: Session, doc: Doc): Session {
  const editor = createEditorStore();
  const { catalog, world } = today.editor.getState();
  editor.getState().setCatalog(catalog, world);
  editor.getState().load(doc, undefined);
  editor.setState({ commit: () => today.actions.toast(AS_IT_WAS) });
  return { ...today, editor, today };
}
