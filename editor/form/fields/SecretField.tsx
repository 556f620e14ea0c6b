import { useContext, useMemo } from 'react';
import { Input } from '../../ui/Input.tsx';
import { NamePicker } from '../../ui/NamePicker.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { NewThing, useForm, useMessages, useSetter, useValue } from '../form-context.tsx';
import { ReadOnly } from '../read-only.ts';

/** A reference to a secret by its name; the flow never contains the secret itself. */
export function SecretField(props: FieldProps) {
  const { field, path, label = field.title } = props;
  const { secrets } = useForm();
  const make = useContext(NewThing);
  const isLocked = useContext(ReadOnly);
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, undefined, true);
  const name = nameIn(value);
  const names = useMemo(() => (secrets ?? []).map((id) => ({ id, title: id })), [secrets]);
  const change = (next: string) => set(next === '' ? undefined : { $secret: next });
  return (
    <FieldFrame {...props} native={!secrets} value={value} messages={messages} onReset={() => set(undefined)}>
      {(ids) =>
        secrets ? (
          <NamePicker
            id={ids.control}
            describedBy={ids.describedBy}
            invalid={ids.invalid}
            label={label}
            noun="secret"
            value={name}
            names={names}
            onChange={change}
            onNew={make && !isLocked ? (wanted) => make('secret', change, wanted) : undefined}
          />
        ) : (
          <Input
            id={ids.control}
            mono
            value={name ?? ''}
            onValueChange={change}
            placeholder="Name of the secret"
            aria-describedby={ids.describedBy}
            aria-invalid={ids.invalid || undefined}
          />
        )
      }
    </FieldFrame>
  );
}

function nameIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('$secret' in value)) return undefined;
  return typeof value.$secret === 'string' ? value.$secret : undefined;
}
