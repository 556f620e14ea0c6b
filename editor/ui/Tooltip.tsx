import {
  cloneElement,
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useRef,
} from 'react';
import { hasMoved, hide, hideSoon, renew, showNow, showSoon } from './tooltip-store.ts';
import type { Tip } from './tooltip-store.ts';

interface Handlers {
  onPointerEnter?: (event: PointerEvent) => void;
  onPointerLeave?: (event: PointerEvent) => void;
  onPointerDown?: (event: PointerEvent) => void;
  onFocus?: (event: FocusEvent) => void;
  onBlur?: (event: FocusEvent) => void;
}

interface TooltipProps {
  text: ReactNode;
  keys?: string | undefined;
  side?: Tip['side'] | undefined;
  /** One element that passes handlers on: the explained element. Give it its own label, since a tooltip is not one. */
  children: ReactElement;
}

/**
 * A short text on hover and focus. The element stays as it is: what shows the text is drawn once for the page
 * (`TooltipLayer`), and its code comes after the first picture.
 */
export function Tooltip({ text, keys, side = 'bottom', children }: TooltipProps) {
  const tip: Tip = { text, keys, side };
  const anchor = useRef<Element>(undefined);
  useEffect(() => renew(anchor.current, { text, keys, side }), [text, keys, side]);
  useEffect(() => () => renew(anchor.current, undefined), []);
  const at = (event: SyntheticEvent): Element => (anchor.current = event.currentTarget as Element);
  const theirs = children.props as Handlers;
  const ours: Handlers = {
    onPointerEnter: (event) => {
      if (event.pointerType !== 'touch' && event.buttons === 0 && hasMoved(event)) showSoon(at(event), tip);
      theirs.onPointerEnter?.(event);
    },
    onPointerLeave: (event) => {
      hideSoon();
      theirs.onPointerLeave?.(event);
    },
    onPointerDown: (event) => {
      hide();
      theirs.onPointerDown?.(event);
    },
    onFocus: (event) => {
      if (event.target.matches(':focus-visible')) showNow(at(event), tip);
      theirs.onFocus?.(event);
    },
    onBlur: (event) => {
      hide();
      theirs.onBlur?.(event);
    },
  };
  return cloneElement(children as ReactElement<Handlers>, ours);
}
