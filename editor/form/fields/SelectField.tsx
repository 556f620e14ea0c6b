import type { FormField } from '../../model/form/schema-form.ts';
import type { Option } from '../../model/form/schema-shapes.ts';
import { Select } from '../../ui/Select.tsx';
import type { FieldProps } from '../FieldFrame.tsx';
import { useMessages, useSetter, useValue } from '../form-context.tsx';
import { SwitchedFrame } from '../SwitchedFrame.tsx';
import { shownDefault } from '../shown-value.ts';

export function SelectField(props: FieldProps) {
  const { field, path, label = field.title } = props;
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, value);
  const options = field.shape.kind === 'select' ? withUnknown(field.shape.options, value) : [];
  const chosen = options.findIndex((option) => option.value === value);
  return (
    <SwitchedFrame {...props} value={value} messages={messages}>
      {() => (
        <Select
          value={chosen < 0 ? undefined : String(chosen)}
          onValueChange={(index) => set(options[Number(index)]?.value)}
          options={options.map(({ label: text, refused }, i) => ({
            value: String(i),
            label: text,
            hint: refused,
            disabled: refused !== undefined,
          }))}
          // Such as methods, which stand in the flow as they are.
          isData={options.every((one) => one.label === String(one.value))}
          label={label}
          placeholder={placeholderOf(field, options)}
        />
      )}
    </SwitchedFrame>
  );
}

function placeholderOf({ required, defaultValue }: FormField, options: readonly Option[]): string {
  const usual = options.find(({ value }) => value === defaultValue);
  if (usual) return usual.label;
  if (defaultValue !== undefined) return shownDefault(defaultValue);
  return required ? 'Choose…' : 'Not set';
}

/** A value that is not an option stays visible. */
function withUnknown(options: readonly Option[], value: unknown): readonly Option[] {
  if (typeof value !== 'string' || options.some((option) => option.value === value)) return options;
  return [...options, { value, label: `${value} (unknown)` }];
}
