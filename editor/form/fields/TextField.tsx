import { Input, TextArea } from '../../ui/Input.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { useMessages, useSetter, useValue } from '../form-context.tsx';
import { shownDefault } from '../shown-value.ts';

/** Text without expressions. An emptied optional field is removed. */
export function TextField(props: FieldProps) {
  const { field, path, label, bare } = props;
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, value);
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  const change = (next: string) => set(next === '' && !field.required ? undefined : next);
  const isLong = field.shape.kind === 'text' && field.shape.multiline;
  const isHidden = field.schema['format'] === 'password';
  const Control = isLong ? TextArea : Input;
  return (
    <FieldFrame {...props} native value={value} messages={messages} onReset={() => set(undefined)}>
      {(ids) => (
        <Control
          id={ids.control}
          {...(isHidden && { ...(!isLong && { type: 'password' }), autoComplete: 'new-password' })}
          className={
            isLong
              ? `[field-sizing:content] max-h-60 min-h-16 ${isHidden ? '[-webkit-text-security:disc]' : ''}`
              : ''
          }
          value={text}
          onValueChange={change}
          placeholder={shownDefault(field.defaultValue)}
          aria-label={bare ? (label ?? field.title) : undefined}
          aria-describedby={ids.describedBy}
          aria-invalid={ids.invalid || undefined}
          data-invalid={ids.invalid ? '' : undefined}
        />
      )}
    </FieldFrame>
  );
}
