import { type TouchEvent, useMemo, useRef } from 'react';

const PRESS_MS = 500;
/** A finger always moves a little. */
const SLACK = 10;

/**
 * A long press as a right click. Some browsers do that too; here it works in all, even above a drawing that stops touch
 * events from bubbling, since it listens in the capture phase.
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
        // The following click is not meant for anything, and would close the opened menu.
        if (isOpen.current) event.preventDefault();
      },
      onTouchCancelCapture: cancel,
      onContextMenuCapture: cancel,
    };
  }, []);
}
