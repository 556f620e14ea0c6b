import type { FlowDetail } from '#shared/api.ts';
import { type Clash, mergeDocs, type Merged, type Side } from '../model/merge-flow.ts';
import type { EditorStore } from './editor-store.ts';
import type { SaverDeps } from './save.ts';
import { docOf, sameFlow, sameLayout } from './saved-doc.ts';
import type { SyncStore } from './sync-store.ts';

/** What is open here and what the server has, brought together; undefined where that cannot be told node by node. */
export function mergeWith(
  editor: EditorStore,
  sync: SyncStore,
  theirs: FlowDetail,
  choose?: (clash: Clash) => Side | undefined,
): Merged | undefined {
  if (!theirs.flow || !sync.getState().knowsBase) return undefined;
  const { doc, saved, catalog } = editor.getState();
  // A layout that is missing says nothing of places.
  const layout = theirs.layout ?? saved.layout;
  return mergeDocs(saved, doc, docOf({ ...theirs, layout }, catalog), choose);
}

/**
 * Takes over what was changed elsewhere, as a step that can be undone, where it does not touch what was changed here. False where
 * somebody has to choose; then nothing has changed.
 */
export function follow(deps: SaverDeps, theirs: FlowDetail): boolean {
  const merged = mergeWith(deps.editor, deps.sync, theirs);
  if (!merged || merged.clashes.length > 0) return false;
  take(deps, theirs, merged);
  return true;
}

/** From here on theirs is what the edits here are made on. */
export function take({ editor, sync, onFollowed }: SaverDeps, theirs: FlowDetail, { doc }: Merged): void {
  const before = editor.getState().doc;
  const isNew = !sameFlow(before, doc) || !sameLayout(before, doc);
  if (isNew)
    editor.getState().commit('Take over changes from elsewhere', (draft) => {
      draft.flow = doc.flow;
      draft.layout = doc.layout;
    });
  const now = editor.getState().doc;
  const server = docOf(theirs, editor.getState().catalog);
  const isSaved = sameFlow(now, server) && (!theirs.layout || sameLayout(now, server));
  editor.getState().markSaved(isSaved ? now : server, theirs.revision);
  sync.setState({ record: theirs, conflict: undefined, outside: undefined });
  if (isNew) onFollowed();
}
