import type { SecretInfo } from '#shared/api.ts';
import { removeSecret } from '../api/flows.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { useChange } from './use-change.ts';

/** Asks first, since a deleted value cannot be restored. */
export function DeleteDialog({ secret: { name }, onClose }: { secret: SecretInfo; onClose(): void }) {
  const { busy, error, change } = useChange(onClose);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title={`Delete the secret “${name}”?`}
      description="Its value cannot be restored, and flows that name it fail until there is a secret with this name again."
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="danger" busy={busy} onClick={() => void change(() => removeSecret(name))}>
            Delete
          </Button>
        </>
      }
    >
      {error !== undefined && (
        <p role="alert" className="text-bad">
          {error}
        </p>
      )}
    </Dialog>
  );
}
