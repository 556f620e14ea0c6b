import { useCallback, useEffect, useState } from 'react';
import { inviteBrowser } from '../api/session.ts';
import { Button } from '../ui/Button.tsx';
import { CopyBlock } from '../ui/CopyBlock.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Spinner } from '../ui/Spinner.tsx';

/** Shows an address that signs in one more browser. Each time it is opened, it creates a new one. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const [address, setAddress] = useState<string>();
  const [error, setError] = useState<string>();
  const ask = useCallback(async (): Promise<void> => {
    setAddress(undefined);
    setError(undefined);
    try {
      setAddress(await inviteBrowser());
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
  }, []);
  useEffect(() => void ask(), [ask]);
  const isHereOnly = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Sign in another browser"
      description="Open this address in the other browser. It works once, within 15 minutes, and whoever opens it gets all your permissions."
      footer={
        <>
          <Button variant="ghost" onClick={() => void ask()}>
            Create another address
          </Button>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      {address === undefined && error === undefined && <Spinner label="Asking the server" />}
      {address !== undefined && <CopyBlock title="Address" text={address} label="Copy the address" />}
      {error !== undefined && (
        <p role="alert" className="text-bad">
          {error}
        </p>
      )}
      <p className="mt-3 text-text-2">
        A new address makes the previous one invalid.
        {isHereOnly && ' This one leads to this computer, so a browser on another device cannot open it.'}
      </p>
    </Dialog>
  );
}
