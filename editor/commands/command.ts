import type { EditorStore } from '../state/editor-store.ts';
import { drawnPast } from '../state/drawn.ts';
import type { RunStore } from '../state/run-store.ts';
import type { Saver } from '../state/save.ts';
import type { SyncStore } from '../state/sync-store.ts';
import type { UiStore } from '../state/ui-store.ts';

/** What commands work on. React gets the same object from a context (`session/session.tsx`). */
export interface Session {
  readonly editor: EditorStore;
  readonly runs: RunStore;
  readonly ui: UiStore;
  /** What the server has of this flow: live or draft, its version, changes from elsewhere. */
  readonly sync: SyncStore;
  /** Saving, and the ways out of a conflict. */
  readonly saver: Saver;
  /** Set where this session shows the flow as a past run had it: the flow as it is now, which is what is saved and run. */
  readonly today?: Session;
  /** What only the app can do; commands ask for it. */
  readonly actions: {
    save(): Promise<void>;
    publish(): Promise<void>;
    discard(): Promise<void>;
    /** Runs what is on the canvas, saved first; `trigger` where the flow has several, `pins` false to run pinned nodes too. */
    run(input?: unknown, trigger?: string, pins?: boolean): Promise<void>;
    stopRun(): Promise<void>;
    autoLayout(): Promise<void>;
    goTo(path: string): void;
    toast(text: string, kind?: 'info' | 'error' | 'success'): void;
    writeClipboard(text: string): Promise<void>;
    readClipboard(): Promise<string>;
  };
}

/**
 * One thing a person can do. The command palette, menus, buttons and shortcuts all come from these objects; nothing is listed
 * twice. Shortcuts are written `Mod+Shift+Z` (Mod is Cmd on a Mac, Ctrl elsewhere).
 */
export interface Command {
  readonly id: string;
  readonly label: string;
  readonly group: 'File' | 'Edit' | 'View' | 'Node' | 'Run' | 'Help';
  readonly keys?: readonly string[];
  /** A lucide icon name. */
  readonly icon?: string;
  /** Shown in the context menu of these. */
  readonly menu?: readonly ('node' | 'edge' | 'canvas' | 'selection')[];
  /** A key only: left out of the command palette. */
  readonly hidden?: boolean;
  /** It changes the document, which cannot be while the flow is shown as it was. */
  readonly edits?: boolean;
  /** Whether it can be done now; a text says why not. */
  enabled?(session: Session): true | string;
  run(session: Session): void | Promise<void>;
}

export function defineCommand(command: Command): Command {
  return command;
}

export const AS_IT_WAS = 'The flow is shown as it was. Go back to today’s flow to change it.';

/** What a command works on: a past state of the flow is looked at, while saving and running are of the flow as it is now. */
export function targetOf({ group }: Command, session: Session): Session {
  return group === 'File' || group === 'Run' ? (session.today ?? session) : session;
}

/** Whether a command can run now; a text says why not. */
export function availability(command: Command, session: Session): true | string {
  if (command.edits && drawnPast(session.runs.getState())) return AS_IT_WAS;
  return command.enabled?.(targetOf(command, session)) ?? true;
}
