import { useBlocker } from '@tanstack/react-router';

/** Blocks leaving a page with unsaved edits until somebody has decided; the browser itself asks before the page closes. */
export function useLeaveBlocker(isUnsaved: () => boolean) {
  return useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isUnsaved(),
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
}
