import { availability, type Command, type Session, targetOf } from './command.ts';
import { type KeyPress, matchesKeys } from '../ui/keys.ts';

/** Where the focus is when a key is pressed; decides which shortcuts count. */
export type Place =
  /** The canvas, or nothing in particular. */
  | 'canvas'
  /** A button, tab, list or another control outside of the canvas, where keys such as Enter have a meaning of their own. */
  | 'control'
  /** A text field, or a dialog or menu above the editor: everything belongs to it. */
  | 'taken';

/** Keys by which controls are worked. */
const CONTROL_KEYS = new Set(['Enter', 'Space', 'Escape', 'Delete', 'Backspace', 'Tab']);

/** In a text field these are ours still: the browser's own answer to them is useless in an editor. */
const EVERYWHERE = new Set(['save', 'commands', 'publish', 'stop-run']);

/** The command that a key press stands for, if any. Enabled or not: that is asked when it is to run. */
export function commandForKeys(
  commands: readonly Command[],
  press: KeyPress,
  place: Place,
  mac?: boolean,
): Command | undefined {
  const key = press.key === ' ' ? 'Space' : press.key;
  const isPlain = !press.ctrlKey && !press.metaKey && !press.altKey;
  if (place === 'control' && isPlain && (CONTROL_KEYS.has(key) || key.startsWith('Arrow'))) return undefined;
  const found = commands.find((command) => command.keys?.some((keys) => matchesKeys(keys, press, mac)));
  return place === 'taken' && !(found && EVERYWHERE.has(found.id)) ? undefined : found;
}

/** Runs a command if it can run now; else says why not. A failure is told, never thrown. */
export async function runCommand(command: Command, session: Session): Promise<void> {
  const enabled = availability(command, session);
  if (enabled !== true) {
    session.ui.setState({ announcement: enabled });
    return;
  }
  try {
    await command.run(targetOf(command, session));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    session.actions.toast(`${command.label}: ${reason}`, 'error');
  }
}
