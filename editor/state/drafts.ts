import { z } from 'zod';
import { Flow } from '#shared/flow.ts';
import { Layout } from '#shared/layout.ts';
import type { Doc } from '../model/document/document.ts';
import type { EditorStore } from './editor-store.ts';
import { sameFlow, sameLayout } from './saved-doc.ts';

/** Unsaved edits, stored in this browser so that a closed tab or a crash loses none. */
const LocalDraft = z.object({
  /** Unix milliseconds. */
  at: z.number(),
  /** The tab that wrote them. */
  tab: z.string(),
  /** The server's state that they are based on. */
  revision: z.string().optional(),
  doc: z.object({ flow: Flow, layout: Layout }),
});
export type LocalDraft = z.infer<typeof LocalDraft>;

/** The part of the browser’s storage that drafts need. */
export type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const keyOf = (flow: string): string => `weft.draft.${flow}`;

/** The stored edits; undefined if there are none, or if they cannot be read. */
export function readDraft(storage: DraftStorage | undefined, flow: string): LocalDraft | undefined {
  try {
    const parsed = LocalDraft.safeParse(JSON.parse(storage?.getItem(keyOf(flow)) ?? 'null'));
    return parsed.success && parsed.data.doc.flow.id === flow ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

export function dropDraft(storage: DraftStorage | undefined, flow: string): void {
  storage?.removeItem(keyOf(flow));
}

/** Whether it was stored; a full or forbidden storage stores nothing. */
export function writeDraft(storage: DraftStorage | undefined, flow: string, draft: LocalDraft): boolean {
  try {
    storage?.setItem(keyOf(flow), JSON.stringify(draft));
    return storage !== undefined;
  } catch {
    return false;
  }
}

interface KeeperDeps {
  readonly flow: string;
  readonly tab: string;
  readonly editor: EditorStore;
  readonly storage: DraftStorage | undefined;
  readonly now?: () => number;
}

/**
 * Stores the unsaved edits of one editor. Call `keep` every two seconds and when the page is hidden; it does nothing if
 * nothing has changed. An undone edit counts as saved again.
 */
export function createDraftKeeper({ flow, tab, editor, storage, now = Date.now }: KeeperDeps): {
  keep(): void;
} {
  let kept: Doc | undefined;

  function keep(): void {
    const { doc, saved, revision, saveState, markSaved } = editor.getState();
    if (saveState === 'saving' || doc === kept) return;
    kept = doc;
    if (sameFlow(doc, saved) && sameLayout(doc, saved)) {
      if (doc !== saved && revision !== undefined && saveState !== 'conflict') markSaved(doc, revision);
      // A draft that another tab has written must not be removed here.
      if (readDraft(storage, flow)?.tab === tab) dropDraft(storage, flow);
      return;
    }
    writeDraft(storage, flow, { at: now(), tab, doc, ...(revision !== undefined && { revision }) });
  }

  return { keep };
}
