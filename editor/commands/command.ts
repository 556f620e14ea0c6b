import type { LucideIcon } from 'lucide-react';
import type { PartWish } from '../api/partial-runs.ts';
import type { EditorStore } from '../state/editor-store.ts';
import { drawnPast } from '../state/drawn.ts';
import type { RunStore } from '../state/run-store.ts';
import type { Saver } from '../state/save.ts';
import type { SyncStore } from '../state/sync-store.ts';
import type { UiStore } from '../state/ui-store.ts';

/** How to run the flow. */
export interface RunWish {
  readonly input?: unknown;
  /** Where it starts, if it has several triggers. */
  readonly trigger?: string;
  /** False to run pinned nodes too. */
  readonly pins?: boolean;
  /** The live version instead of the flow on the canvas. */
  readonly live?: boolean;
  readonly part?: PartWish | undefined;
}

/** The context of commands. React gets the same object from a context (`session/session.tsx`). */
export interface Session {
  readonly editor: EditorStore;
  readonly runs: RunStore;
  readonly ui: UiStore;
  /** The server's state of this flow: live or draft, its version, changes from elsewhere. */
  readonly sync: SyncStore;
  /** Saving, and the ways to resolve a conflict. */
  readonly saver: Saver;
  /** Set if this session shows the flow as in a past run: the current flow, which is saved and run. */
  readonly today?: Session;
  /** Actions that only the app can do, for commands. */
  readonly actions: {
    save(): Promise<void>;
    /** Shows what would change, and asks; publishes the first version at once. */
    publish(): Promise<void>;
    publishNow(): Promise<void>;
    /** Makes the version before the live one live again; the edits stay as the draft. */
    rollBack(): Promise<void>;
    discard(): Promise<void>;
    /** Saves and runs the flow on the canvas, and shows the result. Resolves when the run has ended. */
    run(wish?: RunWish): Promise<void>;
    stopRun(): Promise<void>;
    autoLayout(): Promise<void>;
    goTo(path: string): void;
    toast(text: string, kind?: 'info' | 'error' | 'success'): void;
    writeClipboard(text: string): Promise<void>;
    readClipboard(): Promise<string>;
  };
}

/**
 * One thing that a person can do. The command palette, menus, buttons and shortcuts all use these objects; nothing is listed
 * twice. Shortcuts are written `Mod+Shift+Z` (Mod is Cmd on a Mac, Ctrl elsewhere).
 */
export interface Command {
  readonly id: string;
  readonly label: string;
  /** Other words by which people look for it. */
  readonly words?: readonly string[];
  readonly group: 'File' | 'Edit' | 'View' | 'Node' | 'Run' | 'Help';
  readonly keys?: readonly string[];
  readonly icon?: LucideIcon;
  /** Shown in the context menu of these elements. */
  readonly menu?: readonly ('node' | 'edge' | 'canvas' | 'selection')[];
  /** Only for its key: left out of the command palette. */
  readonly hidden?: boolean;
  /** It changes the document, which is impossible while a past state of the flow is shown. */
  readonly edits?: boolean;
  /** Whether it can be executed now; a text says why not. */
  enabled?(session: Session): true | string;
  /** Resolves once `enabled` looks at what is drawn now, not at what was a moment ago. */
  ready?(session: Session): Promise<void>;
  run(session: Session): void | Promise<void>;
}

export function defineCommand(command: Command): Command {
  return command;
}

export const AS_IT_WAS = 'A past state of the flow is shown. Go back to the current flow to change it.';

/** The context of a command: a past state of the flow is only shown, while saving and running use the current flow. */
export function targetOf({ group }: Command, session: Session): Session {
  return group === 'File' || group === 'Run' ? (session.today ?? session) : session;
}

/** Whether a command can be executed now; a text says why not. */
export function availability(command: Command, session: Session): true | string {
  if (command.edits && drawnPast(session.runs.getState())) return AS_IT_WAS;
  return command.enabled?.(targetOf(command, session)) ?? true;
}

/** For `ready` of commands that problems forbid: they are found a moment after each edit. */
export function problemsFound({ editor }: Session): Promise<void> {
  const isCurrent = (): boolean => editor.getState().checked === editor.getState().doc.flow;
  if (isCurrent()) return Promise.resolve();
  editor.getState().refreshProblems();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const timer = setTimeout(done, PATIENCE_MS);
    const stop = editor.subscribe(() => isCurrent() && done());
  });
}

/** The code of the check may be away; the server checks again anyway. */
const PATIENCE_MS = 3000;
