import { X } from 'lucide-react';
import type { OperatorInfo } from '#shared/catalog.ts';
import { useForm } from '../form/form-context.tsx';
import { unknownParams } from '../model/form/schema-form.ts';
import { briefly } from '../model/expression/source-members.ts';
import { useEditor } from '../session/session.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Section } from './Section.tsx';

/** Params in the file that the operator does not know: nothing is lost without being shown. */
export function UnknownParams({ id, info }: { id: string; info: OperatorInfo }) {
  const form = useForm();
  const params = useEditor((state) => state.doc.flow.nodes[id]?.params);
  const names = unknownParams(info, params);
  if (names.length === 0) return null;
  return (
    <Section title="Without effect">
      {names.map((name) => (
        <div key={name} data-field={`params.${name}`} className="flex items-center gap-2">
          <code className="shrink-0 font-mono text-xs">{name}</code>
          <code className="min-w-0 flex-1 truncate font-mono text-xs text-text-2">
            {briefly(params?.[name], 80)}
          </code>
          <IconButton
            size="sm"
            icon={X}
            label={`Remove ${name}`}
            onClick={() => form.set(['params', name], undefined, `Remove ${name}`, { merge: false })}
          />
        </div>
      ))}
    </Section>
  );
}
