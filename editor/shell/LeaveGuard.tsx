import { useBlocker } from '@tanstack/react-router';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
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
    <Dialog
      open
      onOpenChange={reset}
      size="sm"
      title="Leave with unsaved edits?"
      description="Edits that are not saved are kept in this browser and put back when you open this flow again."
      footer={
        <>
          <Button variant="ghost" onClick={reset}>
            Stay
          </Button>
          <Button onClick={proceed}>Leave without saving</Button>
          <Button variant="primary" onClick={() => void save()}>
            Save and leave
          </Button>
        </>
      }
    />
  );
}
