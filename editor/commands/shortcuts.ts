import { tellAll } from '../form/form-views.ts';
import { availability, type Command, type Session, targetOf } from './command.ts';
import { type KeyPress, matchesKeys } from '../ui/keys.ts';

/** Where the focus is when a key is pressed; decides which shortcuts apply. */
export type Place =
  /** The canvas, or nothing in particular. */
  | 'canvas'
  /** A button, tab, list or another control outside the canvas, where keys such as Enter have their own meaning. */
  | 'control'
  /** A text field, which gets all keys but a few. */
  | 'field'
  /** A text field that got the focus by itself and into which nothing has been typed yet. */
  | 'untouched'
  /** A dialog or menu above the editor, which gets nearly all keys. */
  | 'taken';

/** Keys that operate controls. */
const CONTROL_KEYS = new Set(['Enter', 'Space', 'Escape', 'Delete', 'Backspace', 'Tab']);

/** The editor's own keys even in a text field: the browser's reaction to them is useless in an editor. */
const EVERYWHERE = new Set(['save', 'commands', 'publish', 'stop-run', 'help']);
const IN_FIELDS = new Set([...EVERYWHERE, 'run', 'run-with-input', 'run-again']);

/** Who saves or runs wants to know what is wrong, also in fields that nobody has left yet. */
const TELLS_ERRORS = new Set(['save', 'publish', 'run', 'run-with-input', 'run-again']);

/** The command for a key press, if any. Whether it is enabled is checked when it is executed. */
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
  return found && mayPass(found, place) ? found : undefined;
}

function mayPass({ id }: Command, place: Place): boolean {
  if (place === 'field') return IN_FIELDS.has(id);
  // There is nothing of its own to undo.
  if (place === 'untouched') return IN_FIELDS.has(id) || id === 'undo';
  return place !== 'taken' || EVERYWHERE.has(id);
}

/** Executes a command if it is enabled; otherwise says why not. A failure is shown, never thrown. */
export async function runCommand(command: Command, session: Session): Promise<void> {
  if (TELLS_ERRORS.has(command.id)) tellAll(session);
  await command.ready?.(targetOf(command, session));
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
