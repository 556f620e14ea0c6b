import { FileValue } from '#shared/file.ts';
import { fileLimits } from '#shared/wait-form.ts';
import { UploadedFiles } from '../UploadedFiles.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { useMessages, useSetter, useValue } from '../form-context.tsx';

/** A file, or several, as the input of a run. */
export function FileField(props: FieldProps) {
  const { field, path, label = field.title } = props;
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, value);
  const found = fileLimits(field.schema, field.schema);
  if (found === undefined) return null;
  const isList = found.type === 'files';
  const given: readonly unknown[] = isList ? (Array.isArray(value) ? value : []) : [value];
  const files = given.flatMap((one) => FileValue.safeParse(one).data ?? []);
  return (
    <FieldFrame {...props} value={value} messages={messages} onReset={() => set(undefined)}>
      {() => (
        <UploadedFiles
          label={label}
          limits={found.limits}
          files={files}
          onFiles={(next) => set(isList ? next : next[0])}
        />
      )}
    </FieldFrame>
  );
}
