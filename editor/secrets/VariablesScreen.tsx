import { Braces, PencilLine, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Variable } from '#shared/api.ts';
import { listVariables, removeVariable } from '../api/flows.ts';
import type { ListDefinition } from '../lists/list-model.ts';
import { ListScreen } from '../lists/ListScreen.tsx';
import { NameUsedBy } from '../lists/UsedBy.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { typeOf, VariableDialog } from './VariableDialog.tsx';

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
            description: 'Its value cannot be restored.',
            action: 'Delete',
            children: <NameUsedBy of="variables" name={variable.name} />,
            work: () => removeVariable(variable.name),
          }),
      },
    ],
  };
}
