import { useState } from 'react';
import { signOut } from '../api/session.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { Checkbox } from '../ui/Switch.tsx';
import { useApp } from './app-context.tsx';
import { weftCommand } from './commands-to-type.ts';

/** Asks before this browser is signed out, since signing in again takes more than a click. */
export function SignOutDialog({ onClose }: { onClose(): void }) {
  const { server } = useApp();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const [everywhere, setEverywhere] = useState(false);
  const leave = async (): Promise<void> => {
    setBusy(true);
    try {
      await signOut(everywhere);
    } catch (failure) {
      if (!server.getState().report(failure)) {
        setError(failure instanceof Error ? failure.message : String(failure));
        setBusy(false);
        return;
      }
    }
    onClose();
    await server.getState().check();
  };
  return (
    <ConfirmDialog
      title="Sign out of this browser?"
      description={
        <>
          To come back, this browser needs the admin password, where one is set, or a new address: from “Sign
          in another browser” in a browser that is still signed in, or from <code>{weftCommand()} open</code>{' '}
          where the server runs. Flows keep running.
        </>
      }
      action="Sign out"
      busy={busy}
      error={error}
      onConfirm={() => void leave()}
      onClose={onClose}
    >
      <label className="flex items-center gap-2">
        <Checkbox checked={everywhere} onCheckedChange={setEverywhere} />
        Sign out all other browsers too
      </label>
    </ConfirmDialog>
  );
}
