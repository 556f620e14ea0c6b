import { Bookmark, BookmarkPlus, FlaskConical, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useSession } from '../session/session.tsx';
import { type Example, readInputs, removeExample, saveExample } from '../state/run-inputs.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { Input } from '../ui/Input.tsx';
import { Menu } from '../ui/Menu.tsx';
import type { MenuEntry } from '../ui/menu-entry.ts';
import { type Call, inputText, methodOf, testerOf, applyExample } from './tester.ts';

/** Requests that somebody wants to send again, stored in this browser for this flow. */
export function ExamplesMenu({ call }: { call: Call }) {
  const store = testerOf(useSession());
  const { flow, trigger } = call;
  const [all, setAll] = useState(() => readInputs(flow).examples);
  const [naming, setNaming] = useState(false);
  const mine = all.filter((example) => example.trigger === trigger.node);

  const sample = (): void =>
    store.setState(({ inputs }) => ({
      inputs: { ...inputs, [trigger.node]: JSON.stringify(call.sample, null, 2) },
    }));
  const save = (name: string): void => {
    const state = store.getState();
    const example = {
      name,
      trigger: trigger.node,
      method: methodOf(state, trigger),
      input: inputText(state, call),
      headers: state.headers,
    };
    setAll(saveExample(flow, example));
    setNaming(false);
  };
  return (
    <>
      <Menu
        trigger={
          <Button size="sm" icon={Bookmark}>
            Examples
          </Button>
        }
        entries={entriesOf(mine, {
          sample,
          add: () => setNaming(true),
          use: (example) => applyExample(store, example),
          remove: (example) => setAll(removeExample(flow, example)),
        })}
      />
      {naming && (
        <NameDialog
          suggestion={`Example ${mine.length + 1}`}
          taken={mine.map(({ name }) => name)}
          onSave={save}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}

interface ExampleActions {
  sample(): void;
  add(): void;
  use(example: Example): void;
  remove(example: Example): void;
}

function entriesOf(mine: readonly Example[], { sample, add, use, remove }: ExampleActions): MenuEntry[] {
  return [
    { id: 'sample', label: 'A sample by the request model', icon: FlaskConical, onSelect: sample },
    { id: 'add', label: 'Save this request…', icon: BookmarkPlus, onSelect: add },
    ...(mine.length === 0
      ? []
      : [
          { id: 'saved', heading: 'Saved' },
          ...mine.map((example) => ({
            id: `use ${example.name}`,
            label: example.name,
            icon: Bookmark,
            onSelect: () => use(example),
          })),
          { id: 'remove', heading: 'Remove' },
          ...mine.map((example) => ({
            id: `remove ${example.name}`,
            label: `Remove ${example.name}`,
            icon: Trash2,
            onSelect: () => remove(example),
          })),
        ]),
  ];
}

interface NameDialogProps {
  suggestion: string;
  taken: readonly string[];
  onSave(name: string): void;
  onClose(): void;
}

function NameDialog({ suggestion, taken, onSave, onClose }: NameDialogProps) {
  const [name, setName] = useState(suggestion);
  const clean = name.trim();
  return (
    <Dialog
      open
      size="sm"
      onOpenChange={(open) => !open && onClose()}
      title="Save this request"
      description="Its input and headers are stored in this browser; an API key is not."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={clean === ''} onClick={() => onSave(clean)}>
            Save
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (clean !== '') onSave(clean);
        }}
      >
        <Field label="Name" help={taken.includes(clean) ? 'Replaces the example of this name.' : undefined}>
          <Input value={name} onValueChange={setName} maxLength={80} autoFocus />
        </Field>
      </form>
    </Dialog>
  );
}
