import { type ReactNode, useState } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { ID_PATTERN } from '#shared/flow.ts';
import { useChange } from '../session/use-change.ts';
import { Field } from '../ui/Field.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Input } from '../ui/Input.tsx';
import { freeId, idFrom } from '#shared/flow-copy.ts';

interface NameDialogProps {
  title: string;
  /** The label of the main button. */
  action: string;
  name: string;
  /** Asks for an id too, which follows the name until it is edited. */
  id?: string;
  taken?: readonly FlowSummary[];
  help?: ReactNode;
  /** There has to be a name. */
  isNeeded?: boolean;
  /** More of the form, above the fields. */
  children?: ReactNode;
  onClose(): void;
  /** What it throws is shown, and the dialog stays. */
  onDone(name: string, id: string): Promise<void>;
}

/** Asks for the name of a flow or of another thing, and for its id if it gets a new one. */
export function NameDialog(props: NameDialogProps) {
  const { title, action, taken = [], help, isNeeded = false, children, onClose, onDone } = props;
  const [name, setName] = useState(props.name);
  const [ownId, setOwnId] = useState<string>();
  const { busy, error: refusal, change: send } = useChange([], onClose);
  const ids = new Set(taken.map((flow) => flow.id));
  const derived = name === props.name ? (props.id ?? '') : freeId(idFrom(name) || 'flow', ids);
  const id = ownId ?? derived;
  const error = props.id === undefined ? undefined : idError(id, ids);

  return (
    <FormDialog
      title={title}
      size={children ? 'md' : 'sm'}
      action={action}
      isReady={error === undefined && isNamed(name, isNeeded)}
      busy={busy}
      error={refusal}
      onSubmit={() => void send(() => onDone(name.trim(), id))}
      onClose={onClose}
    >
      {children}
      <NameField name={name} help={props.id === undefined ? help : undefined} onChange={setName} />
      {props.id !== undefined && (
        <Field label="Id" help={help} error={error}>
          <Input mono maxLength={64} value={id} onValueChange={setOwnId} />
        </Field>
      )}
    </FormDialog>
  );
}

function isNamed(name: string, isNeeded: boolean): boolean {
  return !isNeeded || name.trim() !== '';
}

interface NameFieldProps {
  name: string;
  help: ReactNode;
  onChange(name: string): void;
}

function NameField({ name, help, onChange }: NameFieldProps) {
  return (
    <Field label="Name" help={help}>
      <Input
        autoFocus
        maxLength={200}
        value={name}
        onValueChange={onChange}
        placeholder="What it is for, in a few words"
        onFocus={(event) => event.currentTarget.select()}
      />
    </Field>
  );
}

function idError(id: string, taken: ReadonlySet<string>): string | undefined {
  if (!ID_PATTERN.test(id)) return 'A lower-case letter, then a-z, 0-9 and _ (at most 64).';
  return taken.has(id) ? 'Another flow has this id.' : undefined;
}
