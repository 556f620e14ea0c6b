import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Variable } from '#shared/api.ts';
import { ID_PATTERN } from '#shared/flow.ts';
import { listVariables, saveVariable } from '../api/flows.ts';
import { useChange } from '../session/use-change.ts';
import { Field } from '../ui/Field.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Input, TextArea } from '../ui/Input.tsx';

interface VariableDialogProps {
  /** The variable to change; undefined for a new one. */
  variable?: Variable;
  /** The name that a new one begins with. */
  wanted?: string;
  /** Takes the name of one that was saved. */
  onMade?(name: string): void;
  onClose(): void;
}

/** Name and value of a variable. */
export function VariableDialog({ variable, wanted = '', onMade, onClose }: VariableDialogProps) {
  const [name, setName] = useState(variable?.name ?? wanted);
  const [text, setText] = useState(variable === undefined ? '' : editable(variable.value));
  const all = useQuery({ queryKey: ['variables'], queryFn: listVariables, enabled: variable === undefined });
  const { busy, error, change } = useChange(['variables', 'world', 'flows'], () => {
    onMade?.(name);
    onClose();
  });
  const fault = variable ? undefined : nameFault(name, all.data ?? []);
  return (
    <FormDialog
      title={variable ? `Change the variable “${variable.name}”` : 'New variable'}
      action="Save"
      // One of this name would be replaced, so the names have to be known.
      isReady={name !== '' && fault === undefined && !all.isLoading}
      busy={busy}
      error={error}
      onSubmit={() => void change(() => saveVariable(name, valueOf(text)))}
      onClose={onClose}
    >
      {!variable && (
        <Field
          label="Name"
          required
          help="Flows read it as vars.name. The name cannot be changed later."
          error={fault}
        >
          <Input
            autoFocus={wanted === ''}
            mono
            maxLength={64}
            value={name}
            onValueChange={setName}
            placeholder="shop_url"
          />
        </Field>
      )}
      <Field
        label="Value"
        help={`Saved as ${typeOf(valueOf(text))}. A number, true, false, null or JSON is read as such; "12" is a text.`}
      >
        <TextArea autoFocus={wanted !== ''} mono rows={5} value={text} onValueChange={setText} />
      </Field>
    </FormDialog>
  );
}

function nameFault(name: string, all: readonly Variable[]): string | undefined {
  if (name === '') return undefined;
  if (!ID_PATTERN.test(name)) return 'Use lower-case letters, digits and _, beginning with a letter.';
  return all.some((one) => one.name === name) ? 'A variable with this name already exists.' : undefined;
}

/** The type of a value, in a word. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

/** A text that is no JSON is itself the value. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** As `valueOf` reads it back: a text that looks like JSON gets quotes. */
const editable = (value: unknown): string =>
  typeof value === 'string' && valueOf(value) === value ? value : JSON.stringify(value, null, 2);
