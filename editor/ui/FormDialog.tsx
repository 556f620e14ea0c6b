import { type FormEvent, type ReactNode, useId } from 'react';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';

interface FormDialogProps {
  title: string;
  description?: ReactNode;
  size?: 'sm' | 'md';
  /** The label of the button: `Save`. */
  action: string;
  isReady: boolean;
  busy: boolean;
  /** Why it failed, or what is wrong with what was typed. */
  error: string | undefined;
  /** At the left of the buttons. */
  aside?: ReactNode;
  onSubmit(): void;
  onClose(): void;
  /** Fields. */
  children: ReactNode;
}

/** A dialog with a form; Enter in a field submits it when it is ready. */
export function FormDialog(props: FormDialogProps) {
  const { title, description, size = 'md', action, isReady, busy, error, aside, onSubmit, onClose } = props;
  const id = useId();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // A dialog that this one opens is not part of this form, but React propagates its events to here.
    if (event.target !== event.currentTarget) return;
    if (isReady && !busy) onSubmit();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size={size}
      title={title}
      description={description}
      footer={
        <>
          {aside}
          <Button variant="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={id} busy={busy} disabled={!isReady}>
            {action}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="flex flex-col gap-4">
        {props.children}
        {error !== undefined && (
          <p role="alert" className="text-bad">
            {error}
          </p>
        )}
      </form>
    </Dialog>
  );
}
