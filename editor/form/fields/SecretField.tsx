import { KeyRound, TextCursorInput } from 'lucide-react';
import { useContext, useMemo, useState } from 'react';
import { formatPath } from '#engine/check';
import { IconButton } from '../../ui/IconButton.tsx';
import { Input } from '../../ui/Input.tsx';
import { NamePicker } from '../../ui/NamePicker.tsx';
import { FieldFrame, type FieldProps, type FrameIds } from '../FieldFrame.tsx';
import { useForm, useMessages, useSetter, useValue } from '../form-context.tsx';
import { openIn } from '../form-view.ts';
import { NewThing } from '../new-thing.ts';
import { ReadOnly } from '../read-only.ts';
import { TemplateEditor } from '../TemplateEditor.tsx';

/** A reference to a secret by its name; the flow never contains the secret itself. Some take a text in its place. */
export function SecretField(props: FieldProps) {
  const { field, path, label = field.title } = props;
  const { shape } = field;
  const { secrets, view } = useForm();
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, undefined, true);
  const name = nameIn(value);
  const [chosen, choose] = useState(false);
  const canBeText = shape.kind === 'secret' && shape.orText === true;
  const isSecret = !canBeText || name !== undefined || (chosen && value === undefined);
  const swap = (): void => {
    // An option that has no value is hidden unless somebody has opened it.
    openIn(view, formatPath(path));
    choose(!isSecret);
    set(undefined);
  };
  return (
    <FieldFrame
      {...props}
      native={!secrets}
      value={value}
      messages={messages}
      onReset={() => set(undefined)}
      aside={
        canBeText && (
          <IconButton
            size="sm"
            icon={isSecret ? TextCursorInput : KeyRound}
            label={isSecret ? `${label}: write it here` : `${label}: use a secret`}
            onClick={swap}
          />
        )
      }
    >
      {(ids) =>
        isSecret ? (
          <Secret ids={ids} label={label} name={name} onChange={set} />
        ) : (
          <TemplateEditor {...props} ids={ids} />
        )
      }
    </FieldFrame>
  );
}

interface SecretProps {
  ids: FrameIds;
  label: string;
  name: string | undefined;
  onChange(value: unknown): void;
}

function Secret({ ids, label, name, onChange }: SecretProps) {
  const { secrets } = useForm();
  const make = useContext(NewThing);
  const isLocked = useContext(ReadOnly);
  const names = useMemo(() => (secrets ?? []).map((id) => ({ id, title: id })), [secrets]);
  const change = (next: string) => onChange(next === '' ? undefined : { $secret: next });
  if (!secrets)
    return (
      <Input
        id={ids.control}
        mono
        value={name ?? ''}
        onValueChange={change}
        placeholder="Name of the secret"
        aria-describedby={ids.describedBy}
        aria-invalid={ids.invalid || undefined}
      />
    );
  return (
    <NamePicker
      id={ids.control}
      describedBy={ids.describedBy}
      invalid={ids.invalid}
      label={label}
      noun="secret"
      value={name}
      names={names}
      onChange={change}
      onNew={make && !isLocked ? (wanted) => make({ kind: 'secret', use: change, wanted }) : undefined}
    />
  );
}

function nameIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('$secret' in value)) return undefined;
  return typeof value.$secret === 'string' ? value.$secret : undefined;
}
