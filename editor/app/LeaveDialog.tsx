import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';

export interface LeaveDialogProps {
  onStay(): void;
  onLeave(): void;
  onSave(): void;
}

/** Asks what to do with unsaved edits. */
export function LeaveDialog({ onStay, onLeave, onSave }: LeaveDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={onStay}
      size="sm"
      title="Leave with unsaved edits?"
      description="Unsaved edits are stored in this browser and restored when you open this flow again."
      footer={
        <>
          <Button variant="ghost" onClick={onStay}>
            Stay
          </Button>
          <Button onClick={onLeave}>Leave without saving</Button>
          <Button variant="primary" onClick={onSave}>
            Save and leave
          </Button>
        </>
      }
    />
  );
}
