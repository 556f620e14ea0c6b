import { useMemo } from 'react';
import { ERROR_PORT, portsOf } from '#engine/check';
import { FieldView } from '../form/FieldView.tsx';
import { infoOf } from '../model/document/edit.ts';
import { type FormField, schemaFields } from '../model/form/schema-form.ts';
import { useForm } from '../form/form-context.tsx';
import { FieldMessages } from '../form/FieldMessages.tsx';
import { useEditor } from '../session/session.tsx';
import { nodeIn } from '../model/document/flat.ts';

/** The fallback value of each output after a failure. */
export function FallbackEditor({ id }: { id: string }) {
  const form = useForm();
  const names = useEditor((state) => {
    const node = nodeIn(state.doc.flow, id);
    const info = infoOf(state.catalog, node);
    if (!node || !info || node.onError !== 'continue') return '';
    const ports = portsOf(node, info).outputs.filter((port) => port.name !== ERROR_PORT);
    return ports.map((port) => port.name).join(' ');
  });
  const problems = useEditor(() => form.problemsAt('fallback', false));
  const fields = useMemo(() => fallbackFields(names), [names]);
  if (names === '') return null;
  return (
    <div data-field="fallback" className="ml-0.5 flex flex-col gap-3 border-l-2 border-line pl-3">
      {fields.map((field) => (
        <FieldView key={field.name} field={field} path={['fallback', field.name]} />
      ))}
      <FieldMessages
        id={`${id}-fallback`}
        messages={problems.map((problem) => ({ severity: problem.severity, text: problem.message, problem }))}
      />
    </div>
  );
}

function fallbackFields(names: string): readonly FormField[] {
  const properties = names
    .split(' ')
    .map((name) => [
      name,
      { title: `Fallback for ${name}`, description: 'The value to continue with, as JSON.' },
    ]);
  return schemaFields({
    type: 'object',
    properties: Object.fromEntries(properties) as Record<string, unknown>,
  });
}
