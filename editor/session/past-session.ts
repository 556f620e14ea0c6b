import { useMemo } from 'react';
import { useStore } from 'zustand';
import { AS_IT_WAS, type Session } from '../commands/command.ts';
import type { Doc } from '../model/document/document.ts';
import { createEditorStore } from '../state/editor-store.ts';
import { drawnPast } from '../state/drawn.ts';

/** The session of the shown past state of the flow; undefined while the current flow is shown. */
export function usePastSession(today: Session): Session | undefined {
  const doc = useStore(today.runs, drawnPast);
  // A conflict is resolved on the current flow, so that one is shown then.
  const isConflict = useStore(today.ui, ({ overlay }) => overlay?.kind === 'conflict');
  const past = useMemo(() => doc && pastSession(today, doc), [today, doc]);
  return isConflict ? undefined : past;
}

/** It has its own selection and view; all changes are refused. */
function pastSession(today: Session, doc: Doc): Session {
  const editor = createEditorStore();
  const { catalog, world } = today.editor.getState();
  editor.getState().setCatalog(catalog, world);
  editor.getState().load(doc, undefined);
  editor.setState({ commit: () => today.actions.toast(AS_IT_WAS) });
  return { ...today, editor, today };
}
