import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import type { FormField } from '../../model/form/schema-form.ts';
import { singular } from '#shared/setting-words.ts';
import { Button } from '../../ui/Button.tsx';
import { FieldFrame, type NestedProps } from '../FieldFrame.tsx';
import { FormProvider, useDerived, useForm, useMessages } from '../form-context.tsx';
import { withDefault } from '../form-model.ts';
import { TemplateEditor } from '../TemplateEditor.tsx';
import { useExpression } from '../use-expression.ts';
import { RecordEntry } from './RecordEntry.tsx';
import { recordIn, useRecord } from './use-record.ts';

/** Values by freely chosen names: headers, fields to set. */
export function RecordField({ view, ...props }: NestedProps) {
  const { field, path } = props;
  const outer = useForm();
  const fallback = field.defaultValue;
  const name = path.join('/');
  const form = useMemo(() => withDefault(outer, path, fallback), [outer, name, fallback]);
  // Only the names, so that typing a value does not redraw the whole list.
  const names = useDerived(path, (value) => JSON.stringify(Object.keys(recordIn(value ?? fallback))));
  const keys = useMemo(() => JSON.parse(names) as string[], [names]);
  const isSet = useDerived(path, (value) => value !== undefined);
  const expression = useExpression(field, path);
  const messages = useMessages(field, path, undefined);
  const { fresh, refused, add, rename, remove } = useRecord(form, field, path, keys);
  const one = singular(field.title.toLowerCase());
  return (
    <FieldFrame
      {...props}
      value={isSet || undefined}
      messages={messages}
      expression={expression}
      onReset={() => form.set(path, undefined, `Reset ${field.title.toLowerCase()}`)}
    >
      {(ids) =>
        expression?.on ? (
          <TemplateEditor {...props} ids={ids} />
        ) : (
          <FormProvider form={form}>
            {keys.map((key, i) => (
              <RecordEntry
                // Renaming keeps the entry mounted, and with it the focus.
                key={i}
                name={key}
                label={`Name of ${one} ${i + 1}`}
                value={valueField(field)}
                path={[...path, key]}
                view={view}
                isFresh={key === fresh}
                refused={refused?.key === key ? refused.text : undefined}
                onRename={(to) => rename(key, to)}
                onRemove={() => remove(key)}
              />
            ))}
            <Button size="sm" icon={Plus} className="self-start" onClick={add}>
              Add {one}
            </Button>
          </FormProvider>
        )
      }
    </FieldFrame>
  );
}

function valueField({ shape }: FormField): FormField | undefined {
  return shape.kind === 'record' ? shape.value : undefined;
}
