import { ToggleButtons } from '../../ui/ToggleButtons.tsx';
import type { FieldProps } from '../FieldFrame.tsx';
import { useMessages, useSetter, useValue } from '../form-context.tsx';
import { SwitchedFrame } from '../SwitchedFrame.tsx';

/** Several of a few options, in a fixed order: HTTP methods. */
export function ChoicesField(props: FieldProps) {
  const { field, path } = props;
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, value, true);
  const options = field.shape.kind === 'choices' ? field.shape.options : [];
  const chosen: unknown[] = Array.isArray(value)
    ? value
    : Array.isArray(field.defaultValue)
      ? field.defaultValue
      : [];

  function choose(values: readonly string[]): void {
    const known = options.filter(({ value: v }) => values.includes(String(v)));
    const unknown = chosen.filter((v) => !options.some((o) => o.value === v));
    set([...known.map(({ value: v }) => v), ...unknown]);
  }

  return (
    <SwitchedFrame {...props} value={value} messages={messages}>
      {() => (
        <ToggleButtons
          options={options.map(({ value: v, label }) => ({ value: String(v), label }))}
          chosen={options.filter(({ value: v }) => chosen.includes(v)).map(({ value: v }) => String(v))}
          onChange={choose}
        />
      )}
    </SwitchedFrame>
  );
}
