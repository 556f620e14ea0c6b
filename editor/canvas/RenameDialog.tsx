import { type FormEvent, type RefObject, useRef, useState } from 'react';
import { ID_PATTERN } from '#shared/flow.ts';
import { infoOf, renameNodeId, setNodeField } from '../model/edit.ts';
import { useEditor, useSession, useUi } from '../shell/session.tsx';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { Input } from '../ui/Input.tsx';

/** Name and id of a node, changed together as one step. */
export function RenameDialog() {
  const { ui } = useSession();
  const node = useUi((s) => (s.overlay?.kind === 'rename' ? s.overlay.node : undefined));
  const name = useRef<HTMLInputElement>(null);
  const close = () => ui.setState({ overlay: undefined });
  return (
    <Dialog
      open={node !== undefined}
      onOpenChange={(open) => !open && close()}
      title="Rename the node"
      size="sm"
      initialFocus={name}
    >
      {node !== undefined && <RenameForm key={node} node={node} nameField={name} onDone={close} />}
    </Dialog>
  );
}

interface RenameFormProps {
  node: string;
  nameField: RefObject<HTMLInputElement | null>;
  onDone(): void;
}

function RenameForm({ node, nameField, onDone }: RenameFormProps) {
  const { editor, ui } = useSession();
  const flow = useEditor((s) => s.doc.flow);
  const catalog = useEditor((s) => s.catalog);
  const current = flow.nodes[node];
  const [name, setName] = useState(current?.name ?? '');
  const [id, setId] = useState(node);

  const fault = faultOf(id, node, flow.nodes);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (fault) return;
    editor.getState().commit('Rename', (draft) => {
      setNodeField(draft, node, 'name', name.trim() === '' ? undefined : name.trim());
      renameNodeId(draft, node, id);
    });
    editor.getState().select([id]);
    ui.setState({ announcement: `Renamed to ${name.trim() || id}` });
    onDone();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field label="Name" help="Shown on the canvas. Empty: the operator's own name.">
        <Input
          ref={nameField}
          value={name}
          onValueChange={setName}
          maxLength={200}
          placeholder={infoOf(catalog, current)?.title}
        />
      </Field>
      <Field
        label="Id"
        help={`Expressions read it as nodes.${id || '…'}; edges and expressions follow.`}
        error={fault}
      >
        <Input mono value={id} onValueChange={setId} maxLength={64} />
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={fault !== undefined}>
          Rename
        </Button>
      </div>
    </form>
  );
}

function faultOf(id: string, node: string, taken: Readonly<Record<string, unknown>>): string | undefined {
  if (id === node) return undefined;
  if (!ID_PATTERN.test(id)) return 'Start with a lower-case letter and use only a-z, 0-9 and _.';
  return Object.hasOwn(taken, id) ? 'Another node has this id.' : undefined;
}
