import { useEffect } from 'react';
import { autosave } from '../state/autosave.ts';
import { createDraftKeeper } from '../state/drafts.ts';
import { localStorageOf } from './app.ts';
import { useSession } from './session.tsx';
import { tabId } from './tab.ts';
import { useServer } from './app-context.tsx';

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

/** Saves edits into the draft by itself. */
export function useAutosave(): void {
  const { editor, sync, saver, ui } = useSession();
  useEffect(
    () =>
      autosave({
        editor,
        sync,
        isOn: () => ui.getState().autosave,
        save: () => void saver.save(),
        later(ms, work) {
          const timer = setTimeout(work, ms);
          return () => clearTimeout(timer);
        },
      }),
    [editor, sync, saver, ui],
  );
}

const LOOK_MS = 10_000;

/**
 * While the page is visible, checks whether the flow was changed elsewhere; after the server was unreachable, saves what
 * failed.
 */
export function useServerWatch(): void {
  const { saver, editor, sync } = useSession();
  const status = useServer((server) => server.status);
  useEffect(() => {
    if (status !== 'ok') return;
    const look = (): void => {
      if (document.visibilityState === 'visible') void saver.look();
    };
    const { base, version } = sync.getState().record;
    if (base !== version) look();
    const timer = setInterval(look, LOOK_MS);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [saver, sync, status]);
  useEffect(() => {
    if (status === 'ok' && editor.getState().saveState === 'failed') void saver.save();
  }, [saver, editor, status]);
}
