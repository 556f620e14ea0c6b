import { type FormEvent, useId, useState } from 'react';
import { ID_PATTERN } from '#shared/flow.ts';
import { infoOf, setNodeField } from '../model/document/edit.ts';
import { renameNodeId } from '../model/document/rename-node.ts';
import { useEditor, useSession, useUi } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { Input } from '../ui/Input.tsx';
import { flatFlow } from '../model/document/flat.ts';

/** Name and id of a node, changed together as one step. */
export function RenameDialog() {
  const { ui } = useSession();
  const node = useUi((s) => (s.overlay?.kind === 'rename' ? s.overlay.node : undefined));
  const close = () => ui.setState({ overlay: undefined });
  return node === undefined ? null : <RenameForm key={node} node={node} onDone={close} />;
}

interface RenameFormProps {
  node: string;
  onDone(): void;
}

function RenameForm({ node, onDone }: RenameFormProps) {
  const { editor, ui } = useSession();
  const form = useId();
  const flow = useEditor((s) => flatFlow(s.doc.flow));
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
    <Dialog
      open
      onOpenChange={onDone}
      title="Rename the node"
      size="sm"
      footer={
        <>
          <Button variant="ghost" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" form={form} variant="primary" disabled={fault !== undefined}>
            Rename
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Name" help="Shown on the canvas. Empty: the operator’s own name.">
          <Input
            autoFocus
            value={name}
            onValueChange={setName}
            maxLength={200}
            placeholder={infoOf(catalog, current)?.title}
            onFocus={(event) => event.currentTarget.select()}
          />
        </Field>
        <Field
          label="Id"
          help={`Expressions read it as nodes.${id || '…'}; edges and expressions follow.`}
          error={fault}
        >
          <Input mono value={id} onValueChange={setId} maxLength={64} />
        </Field>
      </form>
    </Dialog>
  );
}

function faultOf(id: string, node: string, taken: Readonly<Record<string, unknown>>): string | undefined {
  if (id === node) return undefined;
  if (!ID_PATTERN.test(id)) return 'Start with a lower-case letter and use only a-z, 0-9 and _.';
  return Object.hasOwn(taken, id) ? 'Another node has this id.' : undefined;
}
