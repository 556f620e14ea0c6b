import type { FlowDetail } from '#shared/api.ts';
import type { Doc } from '../model/document.ts';
import { mergeLayout } from '../model/merge-layout.ts';
import type { EditorStore } from './editor-store.ts';
import type { SaverDeps } from './save.ts';
import { docOf, sameLayout } from './saved-doc.ts';

/**
 * Saves where things stand, together with what was moved elsewhere since `saved`; `server` is the flow as it is there. Gives the
 * document as the server then has it.
 */
export async function savePlaces(
  { id, editor, api, onMerged }: SaverDeps,
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

/** What was moved here while the save was under way stays. */
function takeOver(editor: EditorStore, sent: Doc, merged: Doc): Doc {
  const { doc, commit } = editor.getState();
  commit('Take over places', (draft) => {
    draft.layout = mergeLayout(sent.layout, doc.layout, merged.layout);
  });
  return doc === sent ? editor.getState().doc : merged;
}
