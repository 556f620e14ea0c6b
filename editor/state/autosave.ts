import type { EditorStore } from './editor-store.ts';
import type { SyncStore } from './sync-store.ts';

interface AutosaveDeps {
  readonly editor: EditorStore;
  readonly sync: SyncStore;
  /** Whether somebody has not turned it off. */
  isOn(): boolean;
  save(): void;
  /** Calls back after a time; returns a function that cancels it. */
  later(ms: number, work: () => void): () => void;
}

/** How long nothing is edited before a save, in milliseconds. */
export const IDLE_MS = 2_000;
/** Somebody who never pauses is saved after this time, in milliseconds. */
export const LONGEST_MS = 20_000;

/**
 * Saves edits into the draft by itself, once somebody pauses. It waits while somebody has to decide something first: about a
 * conflict, about a change from elsewhere, or whether restored edits should stay. A save that failed is tried again with the
 * next edit, or once the server is back. Returns a function that stops it.
 */
export function autosave({ editor, sync, isOn, save, later }: AutosaveDeps): () => void {
  let cancel: (() => void) | undefined;
  let since: number | undefined;

  const mayNot = (): boolean => {
    const { record, outside, conflict, restoredFrom } = sync.getState();
    return record.readOnly || outside !== undefined || conflict !== undefined || restoredFrom !== undefined;
  };

  function fire(): void {
    cancel = undefined;
    since = undefined;
    if (isOn() && editor.getState().saveState === 'unsaved' && !mayNot()) save();
  }

  function edited(): void {
    const now = Date.now();
    since ??= now;
    cancel?.();
    cancel = later(Math.max(0, Math.min(IDLE_MS, since + LONGEST_MS - now)), fire);
  }

  const stop = editor.subscribe((state, before) => {
    if (state.saveState === 'unsaved' && (state.doc !== before.doc || before.saveState !== 'unsaved'))
      edited();
  });
  // Decided: what was held back is saved.
  const stopSync = sync.subscribe((state, before) => {
    const isFree = state.outside === undefined && state.conflict === undefined;
    const wasFree = before.outside === undefined && before.conflict === undefined;
    const isKept = state.restoredFrom === undefined && before.restoredFrom !== undefined;
    if ((isFree && !wasFree) || isKept) edited();
  });
  return () => {
    cancel?.();
    stop();
    stopSync();
  };
}
