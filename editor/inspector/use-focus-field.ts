import { type RefObject, useEffect } from 'react';
import { type FormView, leaveIn, openIn } from '../form/form-view.ts';
import { fieldChain } from '../model/form/schema-form.ts';
import { BEHAVIOUR, BEHAVIOUR_FIELDS } from './Behaviour.tsx';
import { useSession, useUi } from '../session/session.tsx';

const CONTROLS = 'input, textarea, [contenteditable="true"], [role="combobox"], [role="switch"]';
/** Buttons that keys reach; the help of a field is none. */
const BUTTONS = 'button:not([tabindex="-1"])';
/** Controls that accept typing, and Selects without a value. Selects and switches also have hidden inputs of their own. */
const OPEN = [
  'input:not([type="checkbox"], [type="radio"], [aria-hidden="true"], [tabindex="-1"])',
  'textarea',
  '[contenteditable="true"]',
  'button[role="combobox"][data-placeholder]',
].join(', ');
/** Editors are in a separate chunk, so a field may get its control a moment later. */
const WAIT_MS = 10_000;

/** Shows and focuses the field that `ui.focusField` names, or the nearest field around it. */
export function useFocusField(panel: RefObject<HTMLElement | null>, form?: FormView): void {
  const { ui } = useSession();
  const field = useUi((state) => state.focusField);
  useEffect(() => {
    if (field === undefined) return;
    ui.setState({ inspectorTab: 'settings' });
    showIn(form, field);
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
  }, [field, ui, panel, form]);
}

/** A problem leads to a field that may be hidden, and tells what is wrong with it. */
function showIn(form: FormView | undefined, field: string): void {
  for (const name of fieldChain(field)) {
    openIn(form, BEHAVIOUR_FIELDS.includes(name) ? BEHAVIOUR : name);
    if (name !== 'params') leaveIn(form, name);
  }
}

/** Whether the field has its control, not just a placeholder until the editor is loaded. */
function isThere(place: HTMLElement | null | undefined): boolean {
  return (
    !!place &&
    place.querySelector('[aria-busy]') === null &&
    place.querySelector(`${CONTROLS}, ${BUTTONS}`) !== null
  );
}

function placeOf(panel: HTMLElement, field: string): HTMLElement | undefined {
  for (const name of fieldChain(field)) {
    const found = panel.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"]`);
    if (found) return found;
  }
  return undefined;
}

/** People who open the settings of a node usually want to type; in a Select that has a value, the keys would be shortcuts. */
function focusIn(place: HTMLElement): void {
  place.scrollIntoView({ block: 'nearest' });
  const isForm = place.dataset['field'] === 'params';
  const controls = [...(isForm ? [OPEN] : []), CONTROLS, BUTTONS];
  for (const control of controls) {
    const found = place.querySelector<HTMLElement>(control);
    if (!found) continue;
    found.focus();
    return;
  }
}
