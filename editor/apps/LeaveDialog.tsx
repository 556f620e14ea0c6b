import { useLeaveBlocker } from '../session/use-leave-blocker.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';

/** Asks before entered data is lost. */
export function LeaveDialog({ isUnsaved }: { isUnsaved(): boolean }) {
  const blocker = useLeaveBlocker(isUnsaved);
  if (blocker.status !== 'blocked') return null;
  const { proceed, reset } = blocker;
  return (
    <Dialog
      open
      onOpenChange={reset}
      size="sm"
      title="Leave without saving?"
      description="Your changes to this app will be lost."
      footer={
        <>
          <Button variant="primary" onClick={reset}>
            Stay
          </Button>
          <Button variant="danger" onClick={proceed}>
            Leave
          </Button>
        </>
      }
    />
  );
}
