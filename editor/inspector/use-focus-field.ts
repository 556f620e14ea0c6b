import { type RefObject, useEffect } from 'react';
import { fieldChain } from '../model/schema-form.ts';
import { useSession, useUi } from '../session/session.tsx';

const CONTROLS = 'input, textarea, [contenteditable="true"], [role="combobox"], [role="switch"]';
/** What is written, or still to be chosen. Selects and switches have inputs of their own, which nobody sees. */
const OPEN = [
  'input:not([type="checkbox"], [type="radio"], [aria-hidden="true"], [tabindex="-1"])',
  'textarea',
  '[contenteditable="true"]',
  'button[role="combobox"][data-placeholder]',
].join(', ');
/** Editors come with a chunk of their own, so a field may have its control a moment later. */
const WAIT_MS = 5000;

/** Shows and focuses the field that `ui.focusField` names, or the nearest one that it lies in. */
export function useFocusField(panel: RefObject<HTMLElement | null>): void {
  const { ui } = useSession();
  const field = useUi((state) => state.focusField);
  useEffect(() => {
    if (field === undefined) return;
    ui.setState({ inspectorTab: 'settings' });
    const until = performance.now() + WAIT_MS;
    let frame = requestAnimationFrame(look);
    function look(): void {
      const place = panel.current && placeOf(panel.current, field as string);
      if (!isThere(place) && performance.now() < until) {
        frame = requestAnimationFrame(look);
        return;
      }
      if (place) focusIn(place);
      ui.setState({ focusField: undefined });
    }
    return () => cancelAnimationFrame(frame);
  }, [field, ui, panel]);
}

/** The field has its control, and that is not one that only stands in until the editor is loaded. */
function isThere(place: HTMLElement | null | undefined): boolean {
  return (
    !!place &&
    place.querySelector('[aria-busy]') === null &&
    place.querySelector(`${CONTROLS}, button`) !== null
  );
}

function placeOf(panel: HTMLElement, field: string): HTMLElement | undefined {
  for (const name of fieldChain(field)) {
    const found = panel.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"]`);
    if (found) return found;
  }
  return undefined;
}

/** Whoever opens the settings of a node has mostly something to write; in a Select that has its value the keys would be shortcuts. */
function focusIn(place: HTMLElement): void {
  place.scrollIntoView({ block: 'nearest' });
  const isForm = place.dataset['field'] === 'params';
  const controls = [...(isForm ? [OPEN] : []), CONTROLS, 'button'];
  for (const control of controls) {
    const found = place.querySelector<HTMLElement>(control);
    if (!found) continue;
    found.focus();
    return;
  }
}
