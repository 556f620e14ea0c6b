import type { FlowDetail } from '#shared/api.ts';
import { type Clash, mergeDocs, type Merged, type Side } from '../model/document/merge-flow.ts';
import type { EditorStore } from './editor-store.ts';
import { docOf, sameFlow, sameLayout } from './saved-doc.ts';
import type { SyncStore } from './sync-store.ts';

interface FollowDeps {
  readonly editor: EditorStore;
  readonly sync: SyncStore;
  /** The flow was changed elsewhere, and that has been taken over. */
  onFollowed(): void;
}

/** Merges the open document with the server's; undefined if the server's cannot be compared node by node. */
export function mergeWith(
  editor: EditorStore,
  sync: SyncStore,
  theirs: FlowDetail,
  choose?: (clash: Clash) => Side | undefined,
): Merged | undefined {
  if (!theirs.flow || !sync.getState().knowsBase) return undefined;
  const { doc, saved, catalog } = editor.getState();
  // A missing layout has no positions to compare.
  const layout = theirs.layout ?? saved.layout;
  return mergeDocs(saved, doc, docOf({ ...theirs, layout }, catalog), choose);
}

/**
 * Applies changes from elsewhere, as a step that can be undone, if they do not touch the changes made here. Returns false if
 * somebody must choose; then nothing has changed.
 */
export function follow(deps: FollowDeps, theirs: FlowDetail): boolean {
  const merged = mergeWith(deps.editor, deps.sync, theirs);
  if (!merged || merged.clashes.length > 0) return false;
  take(deps, theirs, merged);
  return true;
}

/** From now on the edits here are based on the server's version. */
export function take({ editor, sync, onFollowed }: FollowDeps, theirs: FlowDetail, { doc }: Merged): void {
  const before = editor.getState().doc;
  const isNew = !sameFlow(before, doc) || !sameLayout(before, doc);
  if (isNew)
    editor.getState().commit('Apply changes from elsewhere', (draft) => {
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
