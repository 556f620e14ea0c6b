import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';

interface ConfirmDialogProps {
  title: string;
  /** The action that cannot be undone, and its consequences. */
  description: ReactNode;
  /** The label of the button: `Delete`. */
  action: string;
  busy: boolean;
  error: string | undefined;
  /** Further questions. */
  children?: ReactNode;
  onConfirm(): void;
  onClose(): void;
}

/** Asks before an action that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, description, action, busy, error, children, onConfirm, onClose } = props;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title={title}
      description={description}
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="danger" busy={busy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {error !== undefined && (
        <p role="alert" className="text-bad">
          {error}
        </p>
      )}
    </Dialog>
  );
}
