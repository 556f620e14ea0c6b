import { Switch } from '../../ui/Switch.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { useMessages, useSetter, useValue } from '../form-context.tsx';
import { TemplateEditor } from '../TemplateEditor.tsx';
import { useExpression } from '../use-expression.ts';

export function BooleanField(props: FieldProps) {
  const { field, path, label = field.title } = props;
  const value = useValue(path);
  const set = useSetter(field, path);
  const expression = useExpression(field, path);
  const messages = useMessages(field, path, value);
  const checked = (value ?? field.defaultValue) === true;
  return (
    <FieldFrame
      {...props}
      value={value}
      messages={messages}
      expression={expression}
      onReset={() => set(undefined)}
      aside={!expression?.on && <Switch checked={checked} onCheckedChange={set} label={label} />}
    >
      {(ids) => expression?.on && <TemplateEditor {...props} ids={ids} />}
    </FieldFrame>
  );
}
