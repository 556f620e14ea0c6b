import { useId } from 'react';
import { useForm, useMessages, useSetter, useValue } from '../form-context.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { DraftInput } from '../DraftInput.tsx';

/** The name of a port: applied when it is complete, so that the edges of the port can follow. */
export function PortNameField(props: FieldProps) {
  const { field, path, label, bare } = props;
  const form = useForm();
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, value);
  const hint = useId();
  const name = typeof value === 'string' ? value : '';
  const rename = (next: string) => (form.renamePort ? form.renamePort(path, name, next) : set(next));
  return (
    <FieldFrame {...props} native value={undefined} messages={messages}>
      {(ids) => (
        <>
          <DraftInput
            id={ids.control}
            mono
            value={name}
            onCommit={rename}
            aria-label={bare ? (label ?? field.title) : undefined}
            aria-describedby={[ids.describedBy, hint].filter(Boolean).join(' ')}
            aria-invalid={ids.invalid || undefined}
            data-invalid={ids.invalid ? '' : undefined}
          />
          <span id={hint} className="sr-only">
            Lower-case letters, digits and _. Enter applies the name.
          </span>
        </>
      )}
    </FieldFrame>
  );
}
