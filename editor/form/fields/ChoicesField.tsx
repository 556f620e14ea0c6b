import { Toggle } from '@base-ui/react/toggle';
import type { Option } from '../../model/schema-shapes.ts';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { useMessages, useSetter, useValue } from '../form-context.tsx';
import { TemplateEditor } from '../TemplateEditor.tsx';
import { useExpression } from '../use-expression.ts';

/** Several of a few options, in their own order: HTTP methods. */
export function ChoicesField(props: FieldProps) {
  const { field, path } = props;
  const value = useValue(path);
  const set = useSetter(field, path);
  const expression = useExpression(field, path);
  const messages = useMessages(field, path, value, true);
  const options = field.shape.kind === 'choices' ? field.shape.options : [];
  const chosen: unknown[] = Array.isArray(value)
    ? value
    : Array.isArray(field.defaultValue)
      ? field.defaultValue
      : [];

  function toggle(option: Option, on: boolean): void {
    const known = options.filter(({ value: v }) => (v === option.value ? on : chosen.includes(v)));
    const unknown = chosen.filter((v) => !options.some((o) => o.value === v));
    set([...known.map(({ value: v }) => v), ...unknown]);
  }

  return (
    <FieldFrame
      {...props}
      value={value}
      messages={messages}
      expression={expression}
      onReset={() => set(undefined)}
    >
      {(ids) =>
        expression?.on ? (
          <TemplateEditor {...props} ids={ids} />
        ) : (
          <div className="flex flex-wrap gap-1">
            {options.map((option) => (
              <Toggle
                key={option.label}
                pressed={chosen.includes(option.value)}
                onPressedChange={(on) => toggle(option, on)}
                className="inline-flex h-6 cursor-default items-center rounded-md border border-line-strong/60 px-2 text-xs font-medium text-text-2 hover:border-line-strong hover:text-text data-pressed:border-accent data-pressed:bg-accent-soft data-pressed:text-accent"
              >
                {option.label}
              </Toggle>
            ))}
          </div>
        )
      }
    </FieldFrame>
  );
}
