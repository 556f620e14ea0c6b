import { Power } from 'lucide-react';
import { useForm } from '../form/form-context.tsx';
import { infoOf } from '../model/document/edit.ts';
import { useEditor } from '../session/session.tsx';
import { Badge } from '../ui/Badge.tsx';
import { operatorIcon } from '../ui/operator-icon.ts';
import { Input } from '../ui/Input.tsx';
import { PanelHeader } from './PanelHeader.tsx';

/** The node's name, edited in place, and its operator. */
export function NodeHeader({ id }: { id: string }) {
  const form = useForm();
  const node = useEditor((state) => state.doc.flow.nodes[id]);
  const info = useEditor((state) => infoOf(state.catalog, state.doc.flow.nodes[id]));
  if (!node) return null;
  return (
    <PanelHeader
      icon={operatorIcon(info)}
      title={
        <div data-field="name">
          <Input
            aria-label="Name of the node"
            value={node.name ?? ''}
            maxLength={200}
            placeholder={info?.title ?? node.operator}
            onValueChange={(name) => form.set(['name'], name === '' ? undefined : name, 'Change name')}
            className="!h-6 border-transparent bg-transparent !px-1 font-semibold placeholder:!text-text hover:border-line-strong"
          />
        </div>
      }
      hint={<code className="font-mono">{node.operator}</code>}
      aside={node.disabled && <Badge icon={Power}>disabled</Badge>}
    />
  );
}
