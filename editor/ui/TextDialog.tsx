import { type FormEvent, useId, useState } from 'react';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { Field } from './Field.tsx';
import { Input } from './Input.tsx';

interface TextDialogProps {
  title: string;
  /** Label of the field. */
  label: string;
  help?: string;
  /** Initial value. */
  value: string;
  /** Label of the button. */
  action: string;
  mayBeEmpty?: boolean;
  busy: boolean;
  error: string | undefined;
  onSubmit(text: string): void;
  onClose(): void;
}

/** Asks for one line of text. */
export function TextDialog(props: TextDialogProps) {
  const { title, label, help, value, action, mayBeEmpty, busy, error, onSubmit, onClose } = props;
  const form = useId();
  const [text, setText] = useState(value);
  const isReady = mayBeEmpty || text.trim() !== '';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady && !busy) onSubmit(text.trim());
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title={title}
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={form} busy={busy} disabled={!isReady}>
            {action}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        <Field label={label} help={help} error={error}>
          <Input autoFocus maxLength={200} value={text} onValueChange={setText} />
        </Field>
      </form>
    </Dialog>
  );
}
