import { type FormEvent, useId, useState } from 'react';
import type { Catalog } from '#shared/catalog.ts';
import { connect } from '../commands/palette.ts';
import { verdictsFor } from '../model/document/connect.ts';
import type { Doc } from '../model/document/document.ts';
import { portsOfNode, titleOf } from '../model/document/geometry.ts';
import { useEditor, useSession, useUi } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { Select, type SelectOption } from '../ui/Select.tsx';
import { flatFlow } from '../model/document/flat.ts';

/** Connecting without a pointer: choose a port of the node, then a port that fits it. */
export function ConnectDialog() {
  const { ui } = useSession();
  const node = useUi((s) => (s.overlay?.kind === 'connect' ? s.overlay.node : undefined));
  const close = () => ui.setState({ overlay: undefined });
  return node === undefined ? null : <ConnectForm key={node} node={node} onDone={close} />;
}

interface ConnectFormProps {
  node: string;
  onDone(): void;
}

function ConnectForm({ node, onDone }: ConnectFormProps) {
  const form = useId();
  const session = useSession();
  const doc = useEditor((s) => s.doc);
  const catalog = useEditor((s) => s.catalog);
  const ports = ownPorts(doc, catalog, node);
  const [port, setPort] = useState(() => {
    const useful = ports.find(({ value }) => targetsOf(doc, catalog, value).length > 0);
    return (useful ?? ports[0])?.value;
  });
  const targets = port === undefined ? [] : targetsOf(doc, catalog, port);
  const help = targets.length === 0 ? 'Nothing in the flow fits this port yet.' : undefined;
  const [chosen, setTarget] = useState<string>();
  const target = targets.find((option) => option.value === chosen)?.value ?? targets[0]?.value;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (port === undefined || target === undefined) return;
    const [side = '', own = ''] = port.split(' ');
    if (side === 'out') connect(session, own, target);
    else connect(session, target, own);
    onDone();
  };
  return (
    <Dialog
      open
      onOpenChange={onDone}
      title="Connect"
      size="sm"
      footer={
        <>
          <Button variant="ghost" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" form={form} variant="primary" disabled={target === undefined}>
            Connect
          </Button>
        </>
      }
    >
      {ports.length === 0 ? (
        <p className="text-text-2">This node has no ports.</p>
      ) : (
        <form id={form} onSubmit={submit} className="flex flex-col gap-4">
          <Field label="Port of this node">
            <Select value={port} onValueChange={setPort} options={ports} />
          </Field>
          <Field label="Goes to" help={help}>
            <Select
              value={target}
              onValueChange={setTarget}
              options={targets}
              disabled={targets.length === 0}
            />
          </Field>
        </form>
      )}
    </Dialog>
  );
}

/** Values are `out node.port` or `in node.port`: an input and an output may have the same name. */
function ownPorts(doc: Doc, catalog: Catalog, node: string): SelectOption<string>[] {
  const { inputs, outputs } = portsOfNode(doc, catalog, node);
  return [
    ...outputs.map(({ name }) => ({ value: `out ${node}.${name}`, label: `Output ${name}` })),
    ...inputs.map(({ name }) => ({ value: `in ${node}.${name}`, label: `Input ${name}` })),
  ];
}

function targetsOf(doc: Doc, catalog: Catalog, port: string): SelectOption<string>[] {
  const [side, own = ''] = port.split(' ');
  const judge = verdictsFor(doc, catalog, side === 'out' ? { from: own } : { to: own });
  return Object.entries(flatFlow(doc.flow).nodes).flatMap(([id, node]) => {
    const ports = portsOfNode(doc, catalog, id);
    const names = (side === 'out' ? ports.inputs : ports.outputs).map((p) => p.name);
    return names
      .map((name) => ({ value: `${id}.${name}`, label: `${titleOf(node, catalog)}: ${name}`, hint: id }))
      .filter((option) => judge(option.value).ok);
  });
}
