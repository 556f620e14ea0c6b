import { Suspense } from 'react';
import { LeaveDialog } from './parts.tsx';
import { useSession } from '../session/session.tsx';
import { useLeaveBlocker } from '../session/use-leave-blocker.ts';

/** Asks before unsaved edits are left behind. */
export function LeaveGuard() {
  const { editor, saver } = useSession();
  const blocker = useLeaveBlocker(() => editor.getState().saveState !== 'saved');
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
