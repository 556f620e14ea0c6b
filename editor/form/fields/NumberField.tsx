import { useState } from 'react';
import { Input } from '../../ui/Input.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { type FieldMessage, useMessages, useSetter, useValue } from '../form-context.tsx';
import { shownDefault } from '../shown-value.ts';
import { TemplateEditor } from '../TemplateEditor.tsx';
import { useExpression } from '../use-expression.ts';

const NO_NUMBER: FieldMessage = {
  severity: 'error',
  text: 'This is not a number; the previous value still applies.',
};

/** A number. An invalid text is kept while it is typed, but not applied. */
export function NumberField(props: FieldProps) {
  const { field, path, label, bare } = props;
  const value = useValue(path);
  const set = useSetter(field, path);
  const expression = useExpression(field, path);
  const [typed, setTyped] = useState<string>();
  const typedNumber = typed === undefined ? undefined : numberIn(typed, field.required);
  // The typed text stays as it is (`1.`, ` 5`) while it means the value, or no number at all.
  const keepsTyped = typed !== undefined && (typedNumber === 'none' || typedNumber === value);
  const isWrong = keepsTyped && typedNumber === 'none';
  const messages = useMessages(field, path, value);

  function change(next: string): void {
    setTyped(next);
    const number = numberIn(next, field.required);
    if (number !== 'none') set(number);
  }

  const bounds = field.shape.kind === 'number' ? field.shape.bounds : undefined;
  return (
    <FieldFrame
      {...props}
      native={!expression?.on}
      value={value}
      messages={isWrong ? [NO_NUMBER] : messages}
      expression={expression}
      onReset={() => {
        setTyped(undefined);
        set(undefined);
      }}
    >
      {(ids) =>
        expression?.on ? (
          <TemplateEditor {...props} ids={ids} />
        ) : (
          <div className="flex items-center gap-2">
            <Input
              id={ids.control}
              inputMode="decimal"
              value={keepsTyped ? typed : textOf(value)}
              onValueChange={change}
              onBlur={() => !isWrong && setTyped(undefined)}
              placeholder={shownDefault(field.defaultValue)}
              aria-label={bare ? (label ?? field.title) : undefined}
              aria-describedby={ids.describedBy}
              aria-invalid={ids.invalid || undefined}
              data-invalid={ids.invalid ? '' : undefined}
              className="max-w-40 tabular-nums"
            />
            {bounds && <span className="text-xs whitespace-nowrap text-text-2">{bounds}</span>}
          </div>
        )
      }
    </FieldFrame>
  );
}

function numberIn(text: string, isRequired: boolean): number | undefined | 'none' {
  const digits = text.replace(/[\s_]/g, '');
  if (digits === '') return isRequired ? 'none' : undefined;
  return Number.isFinite(Number(digits)) ? Number(digits) : 'none';
}

function textOf(value: unknown): string {
  return value === undefined ? '' : typeof value === 'number' ? String(value) : JSON.stringify(value);
}
