import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { helpAddress, screenHelp } from '../model/help-pages.ts';
import { whenLoaded } from '../model/when-loaded.ts';
import { useServer } from '../session/app-context.tsx';
import { backToNode, noteFocus, walkAreas } from './areas.ts';

const TYPED_INTO =
  'input:not([type=checkbox],[type=radio],[type=range]), textarea, select, [contenteditable=true], .cm-editor';
const ABOVE = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';
/** How long `g` waits for its letter. */
const PATIENCE_MS = 3000;

const isIn = (target: EventTarget | null, selector: string): boolean =>
  target instanceof Element && target.closest(selector) !== null;

const isPlain = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => !ctrlKey && !metaKey && !altKey;

/**
 * Keys that work on every screen: F1, F6, `g` and a letter, Escape from a field to its node. Gives whether
 * the letters are to be shown.
 */
export function useShellKeys(): boolean {
  const [hinted, setHinted] = useState(false);
  const go = useGoing(setHinted);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.isComposing || isIn(event.target, ABOVE)) return;
      if (event.key === 'F6' && isPlain(event)) {
        event.preventDefault();
        walkAreas(event.shiftKey ? -1 : 1);
      } else if (event.key === 'F1' && isPlain(event) && !location.pathname.startsWith('/flows/')) {
        // An open flow has a command for it, which knows more.
        event.preventDefault();
        window.open(helpAddress(screenHelp(location.pathname)), '_blank', 'noopener');
      } else if (!isIn(event.target, TYPED_INTO)) go(event);
    };
    const onEscape = (event: KeyboardEvent): void => {
      const isLeft = event.key === 'Escape' && isPlain(event) && isIn(event.target, TYPED_INTO);
      if (isLeft && !event.defaultPrevented && event.target instanceof Element && backToNode(event.target))
        event.preventDefault();
    };
    // Before the commands of the editor, some of which are letters too.
    addEventListener('keydown', onKey, true);
    addEventListener('keydown', onEscape);
    addEventListener('focusin', noteFocus);
    return () => {
      removeEventListener('keydown', onKey, true);
      removeEventListener('keydown', onEscape);
      removeEventListener('focusin', noteFocus);
    };
  }, [go]);
  return hinted;
}

/** `g`, then the letter of a screen. `?` shows the letters where no flow is open: the editor has a sheet of its own. */
function useGoing(setHinted: (hinted: boolean) => void): (event: KeyboardEvent) => void {
  const router = useRouter();
  const session = useServer((state) => state.session);
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(waiting.current), []);
  return (event) => {
    if (!isPlain(event) || ['Shift', 'Alt', 'Control', 'Meta'].includes(event.key)) return;
    if (waiting.current === undefined) {
      if (event.key !== 'g' && !(event.key === '?' && !router.state.location.pathname.startsWith('/flows/')))
        return;
      setHinted(true);
      waiting.current = setTimeout(() => {
        waiting.current = undefined;
        setHinted(false);
      }, PATIENCE_MS);
      return;
    }
    clearTimeout(waiting.current);
    waiting.current = undefined;
    setHinted(false);
    event.preventDefault();
    event.stopImmediatePropagation();
    // The keys work from the first moment of a page; the screens with their icons come after its first picture.
    whenLoaded(import('./screens.ts'), ({ addressOf, groupsFor }) => {
      const screen = groupsFor(session)
        .flatMap(({ screens }) => screens)
        .find(({ letter }) => letter === event.key.toLowerCase());
      if (!screen) return;
      if (screen.isPage) location.assign(screen.to);
      else router.history.push(addressOf(screen));
    });
  };
}
