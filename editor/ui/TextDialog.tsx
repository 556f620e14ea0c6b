import { useState } from 'react';
import { Field } from './Field.tsx';
import { FormDialog } from './FormDialog.tsx';
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
  const { title, label, help, value, action, mayBeEmpty = false, busy, error, onSubmit, onClose } = props;
  const [text, setText] = useState(value);
  return (
    <FormDialog
      size="sm"
      title={title}
      action={action}
      isReady={mayBeEmpty || text.trim() !== ''}
      busy={busy}
      error={error}
      onSubmit={() => onSubmit(text.trim())}
      onClose={onClose}
    >
      <Field label={label} help={help}>
        <Input
          autoFocus
          maxLength={200}
          value={text}
          onValueChange={setText}
          onFocus={(event) => event.currentTarget.select()}
        />
      </Field>
    </FormDialog>
  );
}
