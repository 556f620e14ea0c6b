import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { useMessages, useSetter, useValue } from '../form-context.tsx';
import { JsonEditor } from '../JsonEditor.tsx';
import { shownDefault } from '../shown-value.ts';

/** Any value, as JSON, without expressions. */
export function JsonField(props: FieldProps) {
  const { field, path, label = field.title } = props;
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, value, true);
  return (
    <FieldFrame {...props} value={value} messages={messages} onReset={() => set(undefined)}>
      {(ids) => (
        <JsonEditor
          path={path}
          label={label}
          value={value}
          ids={ids}
          onChange={set}
          placeholder={shownDefault(field.defaultValue)}
        />
      )}
    </FieldFrame>
  );
}
