import { useEffect } from 'react';
import { AS_IT_WAS, type Command, type Session } from '../commands/command.ts';
import { loadCommands, loadedCommands, whenAsked } from '../commands/loaded.ts';
import { commandForKeys, type Place, runCommand } from '../commands/shortcuts.ts';
import { nodeIn } from '../model/document/flat.ts';
import { whenLoaded } from '../model/when-loaded.ts';
import { drawnPast } from '../state/drawn.ts';
import { createEarlyKeys } from './early-keys.ts';
import { useSession } from './session.tsx';

const TYPED_INTO =
  'input:not([type=checkbox],[type=radio],[type=range]), textarea, select, [contenteditable=true], .cm-editor';
const ABOVE = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';
/** Commands that go on while their key is held down. */
const REPEATS = /^(nudge|zoom|resize)/;
const CONTROL =
  'button, a, summary, [role=tab], [role=separator], [role=switch], [role=option], [role=treeitem], [data-node-view]';

function placeOf(target: EventTarget | null): Place {
  if (!(target instanceof Element)) return 'canvas';
  if (target.closest(ABOVE)) return 'taken';
  if (target.closest(TYPED_INTO)) return target.closest('[data-untouched]') ? 'untouched' : 'field';
  return target.closest(CONTROL) ? 'control' : 'canvas';
}

function isTaken(target: EventTarget | null): boolean {
  const place = placeOf(target);
  return place !== 'canvas' && place !== 'control';
}

/** If text is selected, people mean to copy that text. */
function hasMarkedText(): boolean {
  return getSelection()?.isCollapsed === false;
}

async function onKeyDown(
  session: Session,
  commands: readonly Command[],
  event: KeyboardEvent,
): Promise<void> {
  if (event.defaultPrevented || event.isComposing) return;
  const place = placeOf(event.target);
  const command = commandForKeys(commands, event, place);
  // Pasting has its own event, which has the text without asking for permission.
  if (!command || command.id === 'paste') return;
  if ((command.id === 'copy' || command.id === 'cut') && hasMarkedText()) return;
  event.preventDefault();
  if (event.repeat && !REPEATS.test(command.id)) return;
  if (isOfNode(command)) chooseFocused(session, event.target);
  await runCommand(command, session);
}

/** Nodes are what it is for; what works on the whole flow too needs none. */
const isOfNode = ({ menu = [] }: Command): boolean => menu.includes('node') && !menu.includes('canvas');

/** Where nothing is selected, such as after Escape, the node with the focus is meant. */
function chooseFocused({ editor }: Session, target: EventTarget | null): void {
  const { doc, selectedNodes, selectedEdges, selectedNotes, select } = editor.getState();
  if (selectedNodes.size + selectedEdges.size + selectedNotes.size > 0) return;
  if (!(target instanceof HTMLElement) || !target.matches('.react-flow__node')) return;
  const { id } = target.dataset;
  if (id !== undefined && nodeIn(doc.flow, id)) select([id]);
}

/** A key from before the commands were there. What was typed after the key that opens the picker is meant for it. */
export async function onEarlyKey(
  session: Session,
  commands: readonly Command[],
  event: KeyboardEvent,
): Promise<void> {
  const { overlay } = session.ui.getState();
  if (overlay?.kind !== 'picker') return await onKeyDown(session, commands, event);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { typed = '' } = overlay;
  if (event.key.length === 1) session.ui.setState({ overlay: { ...overlay, typed: typed + event.key } });
  if (event.key === 'Enter') session.ui.setState({ overlay: { ...overlay, isEntered: true } });
}

function onPaste(session: Session, event: ClipboardEvent): void {
  if (event.defaultPrevented || isTaken(event.target)) return;
  if (drawnPast(session.runs.getState())) return session.ui.setState({ announcement: AS_IT_WAS });
  event.preventDefault();
  const text = event.clipboardData?.getData('text/plain') ?? '';
  whenAsked(session, import('../commands/clipboard.ts'), ({ pasteText }) => void pasteText(session, text));
}

/** Keys anywhere in the editor become commands. */
export function useShortcuts(): void {
  const session = useSession();
  useEffect(() => {
    const early = createEarlyKeys(session, {
      onKey: onEarlyKey,
      // Somebody who writes in a field asked for no command.
      isAsked: ({ target }) => placeOf(target) === 'canvas',
    });
    const keys = (event: KeyboardEvent): void => {
      const index = loadedCommands();
      if (index) void onKeyDown(session, index.commands, event);
      else early.press(event);
    };
    whenLoaded(loadCommands(), () => undefined);
    // Before the field, whose own history is empty.
    const untouched = (event: KeyboardEvent): void => {
      if (placeOf(event.target) === 'untouched') keys(event);
    };
    addEventListener('keydown', untouched, true);
    addEventListener('pointerdown', early.click, true);
    const paste = (event: ClipboardEvent): void => onPaste(session, event);
    addEventListener('keydown', keys);
    addEventListener('paste', paste);
    return () => {
      early.stop();
      removeEventListener('keydown', untouched, true);
      removeEventListener('pointerdown', early.click, true);
      removeEventListener('keydown', keys);
      removeEventListener('paste', paste);
    };
  }, [session]);
}
