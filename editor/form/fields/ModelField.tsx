import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { listModels } from '../../api/models.ts';
import { Input } from '../../ui/Input.tsx';
import { FieldFrame, type FieldProps, type FrameIds } from '../FieldFrame.tsx';
import { useMessages, useSetter, useValue } from '../form-context.tsx';
import { TemplateEditor } from '../TemplateEditor.tsx';
import { useExpression } from '../use-expression.ts';

/** Loaded with the first node that uses a model. */
const SuggestInput = lazy(() => import('../../ui/SuggestInput.tsx'));

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

interface ModelInputProps {
  ids: FrameIds;
  value: string;
  onChange(value: string): void;
}

/** Suggests the models of the server. */
function ModelInput({ ids, value, onChange }: ModelInputProps) {
  const models = useQuery({ queryKey: ['models'], queryFn: listModels });
  const preferred = models.data?.find((model) => model.default)?.id;
  return (
    <SuggestInput
      id={ids.control}
      value={value}
      onValueChange={onChange}
      options={(models.data ?? []).map(({ id }) => id)}
      placeholder={preferred && `The request’s, or ${preferred}`}
      invalid={ids.invalid}
      aria-describedby={ids.describedBy}
    />
  );
}
