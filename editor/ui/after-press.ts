let isPressed = false;
const set = (now: boolean) => (): void => {
  isPressed = now;
};
for (const [kind, now] of [
  ['pointerdown', true],
  ['pointerup', false],
  ['pointercancel', false],
] as const)
  globalThis.addEventListener?.(kind, set(now), { capture: true });

/**
 * Does it now, or after the click that is under way: what moves while a button is pressed is not clicked, so that nothing may come or go
 * between the press, which takes the focus from a field, and the click.
 */
export function afterPress(act: () => void): void {
  if (!isPressed) return act();
  const later = (): void => {
    globalThis.removeEventListener('pointerup', later, { capture: true });
    globalThis.removeEventListener('pointercancel', later, { capture: true });
    setTimeout(act);
  };
  globalThis.addEventListener('pointerup', later, { capture: true });
  globalThis.addEventListener('pointercancel', later, { capture: true });
}
