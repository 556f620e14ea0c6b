import type { Command, Session } from '../commands/command.ts';
import { loadCommands, tellNotLoaded } from '../commands/loaded.ts';
import type { EditorState } from '../state/editor-store.ts';

interface EarlyKeysDeps {
  onKey(session: Session, commands: readonly Command[], event: KeyboardEvent): Promise<void>;
  /** Whether somebody has to hear that a key had no effect. */
  isAsked(event: KeyboardEvent): boolean;
  load?: typeof loadCommands;
}

/** Keeps the keys that are pressed before the commands are loaded. */
export interface EarlyKeys {
  /** Takes a key, to be carried out once the commands are loaded. */
  press(event: KeyboardEvent): void;
  /** Tells of a click. While a slow command is carried out, it ends what was pressed before: people go on from what they see. */
  click(): void;
  /** Forgets the keys that wait. */
  stop(): void;
}

type Step = (commands: readonly Command[]) => unknown;

/**
 * Keys from before the commands are loaded. They count afterwards, in one order with the selections in between, so that each acts on the
 * selection it was pressed with, and what was selected last stays selected.
 */
export function createEarlyKeys(
  session: Session,
  { onKey, isAsked, load = loadCommands }: EarlyKeysDeps,
): EarlyKeys {
  const { editor } = session;
  let steps: Step[] = [];
  let isTaking = false;
  let hasAsked = false;
  let unsubscribe: (() => void) | undefined;
  const stop = (): void => {
    unsubscribe?.();
    unsubscribe = undefined;
    steps = [];
    hasAsked = false;
  };
  const begin = async (): Promise<void> => {
    steps.push(selecting(editor.getState()));
    unsubscribe = editor.subscribe((now, before) => isReselected(now, before) && steps.push(selecting(now)));
    const index = await load().catch(() => undefined);
    if (!index && hasAsked) tellNotLoaded(session);
    if (!index) return stop();
    // From here on, commands select too.
    unsubscribe?.();
    isTaking = true;
    // One after another: a key can open the picker for the next one.
    for (let step = steps.shift(); step; step = steps.shift()) await step(index.commands);
    isTaking = false;
    stop();
  };
  return {
    press: (event) => {
      if (!unsubscribe) void begin();
      const asked = isAsked(event);
      hasAsked ||= asked;
      steps.push(async (commands) => {
        // A command tells its own failures; this one is of code that it loads.
        await onKey(session, commands, event).catch(() => asked && tellNotLoaded(session));
      });
    },
    click: () => {
      if (isTaking) steps = [];
    },
    stop,
  };
}

function isReselected(now: EditorState, before: EditorState): boolean {
  return (
    now.selectedNodes !== before.selectedNodes ||
    now.selectedEdges !== before.selectedEdges ||
    now.selectedNotes !== before.selectedNotes
  );
}

function selecting({ selectedNodes, selectedEdges, selectedNotes, select }: EditorState): Step {
  return () => select(selectedNodes, selectedEdges, selectedNotes);
}
