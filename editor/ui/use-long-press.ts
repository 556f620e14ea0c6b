import { type TouchEvent, useMemo, useRef } from 'react';

const PRESS_MS = 500;
/** A finger is never quite still. */
const SLACK = 10;

/**
 * A long press as a right click. The browser does so too on some systems; here it works on all, also above a drawing that keeps
 * touches from bubbling: they are seen on their way down.
 */
export function useLongPress() {
  const isOpen = useRef(false);
  const pressed = useRef<{ x: number; y: number; timer: ReturnType<typeof setTimeout> }>(undefined);
  return useMemo(() => {
    const cancel = (): void => {
      clearTimeout(pressed.current?.timer);
      pressed.current = undefined;
    };
    const press = (target: EventTarget, { clientX, clientY }: { clientX: number; clientY: number }): void => {
      cancel();
      isOpen.current = true;
      target.dispatchEvent(
        new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX, clientY, button: 2 }),
      );
    };
    return {
      onTouchStartCapture: ({ touches, target }: TouchEvent) => {
        cancel();
        isOpen.current = false;
        const touch = touches[0];
        if (!touch || touches.length > 1) return;
        const { clientX, clientY } = touch;
        const timer = setTimeout(() => press(target, { clientX, clientY }), PRESS_MS);
        pressed.current = { x: clientX, y: clientY, timer };
      },
      onTouchMoveCapture: ({ touches }: TouchEvent) => {
        const touch = touches[0];
        const at = pressed.current;
        if (at && touch && Math.hypot(touch.clientX - at.x, touch.clientY - at.y) > SLACK) cancel();
      },
      onTouchEndCapture: (event: TouchEvent) => {
        cancel();
        // The click that would follow is meant for nothing, and would close what has opened.
        if (isOpen.current) event.preventDefault();
      },
      onTouchCancelCapture: cancel,
      onContextMenuCapture: cancel,
    };
  }, []);
}
