import { useBlocker } from '@tanstack/react-router';
import { Suspense } from 'react';
import { LeaveDialog } from './parts.tsx';
import { useSession } from './session.tsx';

/** Asks before unsaved edits are left behind; the browser asks by itself before the page closes. */
export function LeaveGuard() {
  const { editor, saver } = useSession();
  const isUnsaved = (): boolean => editor.getState().saveState !== 'saved';
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isUnsaved(),
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  const { proceed, reset } = blocker;
  const save = async (): Promise<void> => {
    if (await saver.save()) proceed();
    else reset();
  };
  return (
    <Suspense fallback={null}>
      <LeaveDialog onStay={reset} onLeave={proceed} onSave={() => void save()} />
    </Suspense>
  );
}
