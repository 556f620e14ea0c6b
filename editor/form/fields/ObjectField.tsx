import { FieldFrame, type NestedProps } from '../FieldFrame.tsx';
import { FieldList } from '../FieldList.tsx';
import { useDerived, useForm, useMessages, useSetter } from '../form-context.tsx';
import { TemplateEditor } from '../TemplateEditor.tsx';
import { useExpression } from '../use-expression.ts';

/** Nested fields, marked by a line at their left. */
export function ObjectField({ view, ...props }: NestedProps) {
  const { field, path, bare } = props;
  const form = useForm();
  const set = useSetter(field, path);
  const isSet = useDerived(path, (value) => value !== undefined);
  const expression = useExpression(field, path);
  const messages = useMessages(field, path, isSet ? form.get(path) : undefined);
  const fields = field.shape.kind === 'object' ? field.shape.fields : [];
  return (
    <FieldFrame
      {...props}
      value={isSet || undefined}
      messages={messages}
      expression={expression}
      onReset={() => set(undefined)}
    >
      {(ids) =>
        expression?.on ? (
          <TemplateEditor {...props} ids={ids} />
        ) : (
          <div className={bare ? undefined : 'ml-0.5 border-l-2 border-line pl-3'}>
            <FieldList fields={fields} path={path} view={view} />
          </div>
        )
      }
    </FieldFrame>
  );
}
