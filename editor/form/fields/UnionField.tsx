import { Select } from '../../ui/Select.tsx';
import type { NestedProps } from '../FieldFrame.tsx';
import { FieldList } from '../FieldList.tsx';
import { useDerived, useMessages, useSetter } from '../form-context.tsx';
import { SwitchedFrame } from '../SwitchedFrame.tsx';
import { shownDefault } from '../shown-value.ts';

/** One of several kinds of objects, or of words: a choice, and the fields of the chosen kind. */
export function UnionField({ view, ...props }: NestedProps) {
  const { field, path, label = field.title } = props;
  const { shape } = field;
  const tag = shape.kind === 'union' ? shape.tag : '';
  const variants = shape.kind === 'union' ? shape.variants : [];
  const set = useSetter(field, path);
  const chosen = useDerived(path, (value) => tagValue(value, tag));
  // For a choice, the check of the flow has better messages than the schema of all its branches.
  const messages = useMessages(field, path, undefined);
  const usual = tagValue(field.defaultValue, tag);
  const fields = variants.find(({ value }) => value === (chosen ?? usual))?.fields;
  return (
    <SwitchedFrame {...props} value={chosen} messages={messages}>
      {() => (
        <>
          <Select
            value={chosen}
            onValueChange={(next) =>
              set(variants.some(({ value, word }) => word && value === next) ? next : { [tag]: next })
            }
            options={variants.map(({ value, title }) => ({ value, label: title }))}
            label={label}
            placeholder={
              variants.find(({ value }) => value === usual)?.title ??
              (usual === undefined ? 'Choose…' : shownDefault(usual))
            }
          />
          {fields && fields.length > 0 && (
            <div className="mt-2 ml-0.5 border-l-2 border-line pl-3">
              <FieldList fields={fields} path={path} view={view} />
            </div>
          )}
        </>
      )}
    </SwitchedFrame>
  );
}

function tagValue(value: unknown, tag: string): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const found = (value as Record<string, unknown>)[tag];
  return typeof found === 'string' ? found : undefined;
}
