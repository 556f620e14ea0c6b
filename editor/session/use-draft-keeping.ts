import { useEffect } from 'react';
import { createDraftKeeper } from '../state/drafts.ts';
import { localStorageOf } from './app.ts';
import { useSession } from './session.tsx';
import { tabId } from './tab.ts';

const KEEP_MS = 2_000;

/** Stores unsaved edits in this browser, a moment after each change and when the page is left. */
export function useDraftKeeping(): void {
  const { editor } = useSession();
  useEffect(() => {
    const flow = editor.getState().doc.flow.id;
    const { keep } = createDraftKeeper({ flow, tab: tabId, editor, storage: localStorageOf() });
    const timer = setInterval(keep, KEEP_MS);
    addEventListener('pagehide', keep);
    document.addEventListener('visibilitychange', keep);
    return () => {
      keep();
      clearInterval(timer);
      removeEventListener('pagehide', keep);
      document.removeEventListener('visibilitychange', keep);
    };
  }, [editor]);
}
