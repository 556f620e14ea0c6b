import type { ReactNode } from 'react';
import { createStore } from 'zustand/vanilla';
import { tellFirstPicture } from './first-picture.ts';

/** The content of a tooltip, and the side of its element on which it stands. */
export interface Tip {
  /** Undefined: nothing is shown. */
  readonly text: ReactNode;
  /** The shortcut of the element. */
  readonly keys: string | undefined;
  readonly side: 'top' | 'bottom' | 'left' | 'right';
}

interface Shown {
  readonly anchor: Element;
  readonly tip: Tip;
}

const DELAY_MS = 400;
/** Time to get from an element to its tooltip, whose text may be selected. */
const LEAVE_MS = 80;

/** The tooltip of the page: at most one is shown, and the next one comes at once while one is or just was. */
export const tooltip = createStore<{ readonly shown: Shown | undefined }>()(() => ({ shown: undefined }));

let coming: ReturnType<typeof setTimeout> | undefined;
let leaving: ReturnType<typeof setTimeout> | undefined;
let leftAt = Number.NEGATIVE_INFINITY;

let rest = '';
const placeOf = ({ clientX, clientY }: Pick<PointerEvent, 'clientX' | 'clientY'>): string =>
  `${clientX} ${clientY}`;
globalThis.document?.addEventListener('pointermove', (event) => (rest = placeOf(event)), { capture: true });

/** Whether the pointer has come to the element. One that appears under a resting pointer, as in a panel that a key opens, shows no tooltip. */
export const hasMoved = (entered: Pick<PointerEvent, 'clientX' | 'clientY'>): boolean =>
  placeOf(entered) !== rest;

function show(shown: Shown): void {
  stop();
  if (shown.anchor.isConnected && shown.tip.text !== undefined) tooltip.setState({ shown });
}

function stop(): void {
  clearTimeout(coming);
  clearTimeout(leaving);
}

/** For the pointer on an element. */
export function showSoon(anchor: Element, tip: Tip): void {
  // Whatever the pointer is on has been drawn.
  tellFirstPicture();
  const isSwift = tooltip.getState().shown !== undefined || performance.now() - leftAt < DELAY_MS;
  stop();
  if (isSwift) show({ anchor, tip });
  else coming = setTimeout(() => show({ anchor, tip }), DELAY_MS);
}

/** For the keyboard on an element. */
export const showNow = (anchor: Element, tip: Tip): void => show({ anchor, tip });

/** For the pointer that left an element; on the tooltip itself, `keep` calls it off. */
export function hideSoon(): void {
  stop();
  if (tooltip.getState().shown) leaving = setTimeout(hide, LEAVE_MS);
}

/** For the pointer on the tooltip: it stays. */
export function keep(): void {
  clearTimeout(leaving);
}

/** Hides it at once. */
export function hide(): void {
  stop();
  if (!tooltip.getState().shown) return;
  leftAt = performance.now();
  tooltip.setState({ shown: undefined });
}

/** A tooltip does not outlive its element, and says what the element now means. */
export function renew(anchor: Element | undefined, tip: Tip | undefined): void {
  const { shown } = tooltip.getState();
  if (!shown || shown.anchor !== anchor) return;
  if (!tip || tip.text === undefined) hide();
  else if (shown.tip.text !== tip.text || shown.tip.keys !== tip.keys) show({ anchor, tip });
}
