import { formatPath } from '#engine/check';
import { CodeEditor } from '../CodeEditor.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { DescribedRows } from './DescribedRows.tsx';
import { useForm, useMessages, useSetter, useValue } from '../form-context.tsx';

/** A piece of code or SQL. The server reports problems of code with the next save. */
export function CodeField(props: FieldProps) {
  const { field, path, label = field.title } = props;
  const form = useForm();
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, value);
  return (
    <FieldFrame {...props} value={value} messages={messages} onReset={() => set(undefined)}>
      {(ids) => (
        <>
          <CodeEditor
            language={field.shape.kind === 'sql' ? 'sql' : 'code'}
            multiline
            label={label}
            value={typeof value === 'string' ? value : ''}
            onChange={set}
            placeholder={field.shape.kind === 'sql' ? 'SELECT … WHERE id = :id' : 'return input;'}
            problems={form.problemsAt(formatPath(path), false)}
            describedBy={ids.describedBy}
            invalid={ids.invalid}
          />
          {field.shape.kind === 'sql' && <DescribedRows path={path} />}
        </>
      )}
    </FieldFrame>
  );
}
