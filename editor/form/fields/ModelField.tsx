import { lazy, Suspense } from 'react';
import { Input } from '../../ui/Input.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { useMessages, useSetter, useValue } from '../form-context.tsx';
import { TemplateEditor } from '../TemplateEditor.tsx';
import { useExpression } from '../use-expression.ts';

const ModelInput = lazy(() => import('./ModelInput.tsx'));

/** A model by its name: one of the server's, or any other text. */
export function ModelField(props: FieldProps) {
  const { field, path } = props;
  const value = useValue(path);
  const set = useSetter(field, path);
  const expression = useExpression(field, path);
  const messages = useMessages(field, path, value);
  const text = typeof value === 'string' ? value : '';
  const change = (next: string): void => set(next === '' && !field.required ? undefined : next);
  return (
    <FieldFrame
      {...props}
      native={!expression?.on}
      value={value}
      messages={messages}
      expression={expression}
      onReset={() => set(undefined)}
    >
      {(ids) =>
        expression?.on ? (
          <TemplateEditor {...props} ids={ids} />
        ) : (
          <Suspense fallback={<Input mono id={ids.control} value={text} onValueChange={change} />}>
            <ModelInput ids={ids} value={text} onChange={change} />
          </Suspense>
        )
      }
    </FieldFrame>
  );
}
