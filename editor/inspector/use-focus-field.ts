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

/** Until an editor is loaded, and a moment later until it is in its place. */
const WAITING = '[aria-busy], [data-code-host]:empty';

/** Whether the field has its control, not just the place for an editor. */
function isThere(place: HTMLElement | null | undefined): boolean {
  return (
    !!place &&
    place.querySelector(WAITING) === null &&
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

/** Until something is typed there, undo means the flow: the field got the focus with a node that may be the wrong one. */
function leftAlone(field: HTMLElement): void {
  field.dataset['untouched'] = '';
  const end = new AbortController();
  const touched = (): void => {
    delete field.dataset['untouched'];
    end.abort();
  };
  for (const event of ['input', 'blur']) field.addEventListener(event, touched, { signal: end.signal });
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
    // As with Tab: what is typed takes the place of what is proposed.
    if (found instanceof HTMLInputElement) found.select();
    leftAlone(found);
    return;
  }
}
