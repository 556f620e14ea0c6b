import { Braces, PencilLine, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Variable } from '#shared/api.ts';
import { ID_PATTERN } from '#shared/flow.ts';
import { listVariables, removeVariable, saveVariable } from '../api/flows.ts';
import type { ListDefinition } from '../lists/list-model.ts';
import { ListScreen } from '../lists/ListScreen.tsx';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Field } from '../ui/Field.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Input, TextArea } from '../ui/Input.tsx';

/** The values that expressions of all flows read as `vars`. */
export function VariablesScreen() {
  const [asked, setAsked] = useState<{ readonly variable?: Variable }>();
  return (
    <>
      <ListScreen
        list={variablesOf((variable) => setAsked({ variable }))}
        actions={
          <Button variant="primary" icon={Plus} onClick={() => setAsked({})}>
            New variable
          </Button>
        }
        empty={
          <EmptyState
            icon={Braces}
            title="No variables yet"
            steps={[
              'Give it a name and a value: a text, a number, or any JSON.',
              'Read it in any field of any flow as {{ vars.name }}.',
            ]}
            action={
              <Button variant="primary" icon={Plus} onClick={() => setAsked({})}>
                Create the first variable
              </Button>
            }
          >
            A variable is a value that many flows read, such as the address of a shop. Passwords and tokens
            belong to the secrets.
          </EmptyState>
        }
      />
      {asked && <VariableDialog {...asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

/** A text as it is, anything else as JSON. */
const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function variablesOf(onEdit: (variable: Variable) => void): ListDefinition<Variable> {
  return {
    title: 'Variables',
    noun: 'variable',
    reads: 'variables',
    load: async () => ({ items: await listVariables() }),
    idOf: ({ name }) => name,
    nameOf: ({ name }) => name,
    columns: [
      {
        name: 'Name',
        className: 'w-60 max-sm:w-40',
        text: ({ name }) => name,
        cell: ({ name }) => <span className="block truncate font-mono font-semibold">{name}</span>,
      },
      { name: 'Value', text: ({ value }) => shown(value) },
      { name: 'Type', className: 'w-28 max-md:hidden', text: ({ value }) => typeOf(value) },
    ],
    filters: [{ name: 'Type', of: ({ value }) => typeOf(value) }],
    entries: (variable, hands) => [
      { id: 'edit', label: 'Change…', icon: PencilLine, onSelect: () => onEdit(variable) },
      { id: 'separator', separator: true },
      {
        id: 'delete',
        label: 'Delete…',
        icon: Trash2,
        danger: true,
        onSelect: () =>
          hands.ask({
            title: `Delete the variable “${variable.name}”?`,
            description: 'Flows that read it get a problem, and their runs fail, until it is there again.',
            action: 'Delete',
            work: () => removeVariable(variable.name),
          }),
      },
    ],
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

function VariableDialog({ variable, onClose }: { variable?: Variable; onClose(): void }) {
  const [name, setName] = useState(variable?.name ?? '');
  const [text, setText] = useState(variable === undefined ? '' : editable(variable.value));
  const { busy, error, change } = useChange(['variables', 'world', 'flows'], onClose);
  const isNamed = ID_PATTERN.test(name);
  return (
    <FormDialog
      title={variable ? `Change the variable “${variable.name}”` : 'New variable'}
      action="Save"
      isReady={isNamed}
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
          error={
            name !== '' && !isNamed
              ? 'Use lower-case letters, digits and _, beginning with a letter.'
              : undefined
          }
        >
          <Input autoFocus mono maxLength={64} value={name} onValueChange={setName} placeholder="shop_url" />
        </Field>
      )}
      <Field
        label="Value"
        help={`Saved as ${typeOf(valueOf(text))}. A number, true, false, null or JSON is read as such; "12" is a text.`}
      >
        <TextArea mono rows={5} value={text} onValueChange={setText} />
      </Field>
    </FormDialog>
  );
}

/** What is no JSON is a text. */
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
