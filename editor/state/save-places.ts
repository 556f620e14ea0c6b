import type { FlowDetail } from '#shared/api.ts';
import type * as flowsApi from '../api/flows.ts';
import type { Doc } from '../model/document/document.ts';
import { mergeLayout } from '../model/document/merge-layout.ts';
import type { EditorStore } from './editor-store.ts';
import { docOf, sameLayout } from './saved-doc.ts';

interface PlacesDeps {
  readonly id: string;
  readonly editor: EditorStore;
  readonly api: Pick<typeof flowsApi, 'saveLayout'>;
  /** Places that were changed elsewhere have been taken over. */
  onMerged(): void;
}

/**
 * Saves the positions, merged with those that were moved elsewhere since `saved`; `server` is the server's flow. Returns the
 * document as the server then has it.
 */
export async function savePlaces(
  { id, editor, api, onMerged }: PlacesDeps,
  { doc, saved }: { readonly doc: Doc; readonly saved: Doc },
  server: FlowDetail,
): Promise<Doc> {
  const theirs = server.layout ? docOf(server, editor.getState().catalog).layout : saved.layout;
  const merged = { ...doc, layout: mergeLayout(saved.layout, doc.layout, theirs) };
  if (sameLayout(merged, doc)) {
    await api.saveLayout(id, doc.layout);
    return doc;
  }
  await api.saveLayout(id, merged.layout);
  onMerged();
  return takeOver(editor, doc, merged);
}

/** Positions that were changed here during the save stay. */
function takeOver(editor: EditorStore, sent: Doc, merged: Doc): Doc {
  const { doc, commit } = editor.getState();
  commit('Apply positions from elsewhere', (draft) => {
    draft.layout = mergeLayout(sent.layout, doc.layout, merged.layout);
  });
  return doc === sent ? editor.getState().doc : merged;
}
