import { Input } from '../../ui/Input.tsx';
import { Select } from '../../ui/Select.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { NewButton } from './NewButton.tsx';
import { useForm, useMessages, useSetter, useValue } from '../form-context.tsx';

/** A reference to a secret by its name; the flow never contains the secret itself. */
export function SecretField(props: FieldProps) {
  const { field, path, label = field.title } = props;
  const { secrets } = useForm();
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, undefined, true);
  const name = nameIn(value);
  const change = (next: string) => set(next === '' ? undefined : { $secret: next });
  return (
    <FieldFrame {...props} native={!secrets} value={value} messages={messages} onReset={() => set(undefined)}>
      {(ids) =>
        secrets ? (
          <div className="flex min-w-0 gap-1">
            <Select
              value={name}
              onValueChange={change}
              options={[...new Set([...secrets, ...(name ? [name] : [])])].map((secret) => ({
                value: secret,
                label: secret,
              }))}
              label={label}
              placeholder={secrets.length === 0 ? 'None yet' : 'Choose a secret…'}
            />
            <NewButton kind="secret" onMade={change} />
          </div>
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
