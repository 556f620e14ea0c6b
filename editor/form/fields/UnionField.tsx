import { Select } from '../../ui/Select.tsx';
import { FieldFrame, type NestedProps } from '../FieldFrame.tsx';
import { FieldList } from '../FieldList.tsx';
import { useDerived, useMessages, useSetter } from '../form-context.tsx';
import { TemplateEditor } from '../TemplateEditor.tsx';
import { useExpression } from '../use-expression.ts';

/** One of several sorts of object: a choice, and the fields of what is chosen. */
export function UnionField({ view, ...props }: NestedProps) {
  const { field, path, label = field.title } = props;
  const { shape } = field;
  const tag = shape.kind === 'union' ? shape.tag : '';
  const variants = shape.kind === 'union' ? shape.variants : [];
  const set = useSetter(field, path);
  const expression = useExpression(field, path);
  const chosen = useDerived(path, (value) => tagValue(value, tag));
  const messages = useMessages(field, path, chosen);
  const fields = variants.find(
    (variant) => variant.value === (chosen ?? tagValue(field.defaultValue, tag)),
  )?.fields;
  return (
    <FieldFrame
      {...props}
      value={chosen}
      messages={messages}
      expression={expression}
      onReset={() => set(undefined)}
    >
      {(ids) =>
        expression?.on ? (
          <TemplateEditor {...props} ids={ids} />
        ) : (
          <>
            <Select
              value={chosen}
              onValueChange={(next) => set({ [tag]: next })}
              options={variants.map(({ value, title }) => ({ value, label: title }))}
              label={label}
            />
            {fields && fields.length > 0 && (
              <div className="mt-2 ml-0.5 border-l-2 border-line pl-3">
                <FieldList fields={fields} path={path} view={view} />
              </div>
            )}
          </>
        )
      }
    </FieldFrame>
  );
}

function tagValue(value: unknown, tag: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found = (value as Record<string, unknown>)[tag];
  return typeof found === 'string' ? found : undefined;
}
