import { useEffect } from 'react';
import { AS_IT_WAS, type Session } from '../commands/command.ts';
import { pasteText } from '../commands/clipboard.ts';
import { commands } from '../commands/index.ts';
import { commandForKeys, type Place, runCommand } from '../commands/shortcuts.ts';
import { drawnPast } from '../state/drawn.ts';
import { useSession } from './session.tsx';

const TYPED_INTO =
  'input:not([type=checkbox],[type=radio],[type=range]), textarea, select, [contenteditable=true], .cm-editor';
const ABOVE = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';
const CONTROL =
  'button, a, summary, [role=tab], [role=separator], [role=switch], [role=option], [role=treeitem], [data-node-view]';

function placeOf(target: EventTarget | null): Place {
  if (!(target instanceof Element)) return 'canvas';
  if (target.closest(ABOVE)) return 'taken';
  if (target.closest(TYPED_INTO)) return 'field';
  return target.closest(CONTROL) ? 'control' : 'canvas';
}

function isTaken(target: EventTarget | null): boolean {
  const place = placeOf(target);
  return place === 'field' || place === 'taken';
}

/** If text is selected, people mean to copy that text. */
function hasMarkedText(): boolean {
  return getSelection()?.isCollapsed === false;
}

function onKeyDown(session: Session, event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const place = placeOf(event.target);
  const command = commandForKeys(commands, event, place);
  // Pasting has its own event, which has the text without asking for permission.
  if (!command || command.id === 'paste') return;
  if ((command.id === 'copy' || command.id === 'cut') && hasMarkedText()) return;
  event.preventDefault();
  if (event.repeat && !command.id.startsWith('nudge') && !command.id.startsWith('zoom')) return;
  void runCommand(command, session);
}

function onPaste(session: Session, event: ClipboardEvent): void {
  if (event.defaultPrevented || isTaken(event.target)) return;
  if (drawnPast(session.runs.getState())) return session.ui.setState({ announcement: AS_IT_WAS });
  event.preventDefault();
  void pasteText(session, event.clipboardData?.getData('text/plain') ?? '');
}

/** Keys anywhere in the editor become commands. */
export function useShortcuts(): void {
  const session = useSession();
  useEffect(() => {
    const keys = (event: KeyboardEvent): void => onKeyDown(session, event);
    const paste = (event: ClipboardEvent): void => onPaste(session, event);
    addEventListener('keydown', keys);
    addEventListener('paste', paste);
    return () => {
      removeEventListener('keydown', keys);
      removeEventListener('paste', paste);
    };
  }, [session]);
}
