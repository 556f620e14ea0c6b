import { useState } from 'react';
import { type Measure, MEASURE_HINT, measureIn, measureText } from '#shared/setting-words.ts';
import { Input } from '../../ui/Input.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { type FieldMessage, useMessages, useSetter, useValue } from '../form-context.tsx';
import { shownDefault } from '../shown-value.ts';
import { TemplateEditor } from '../TemplateEditor.tsx';
import { useExpression } from '../use-expression.ts';

const notANumber = (hint: string): FieldMessage => ({
  severity: 'error',
  text: `${hint} The previous value still applies.`,
});

/** A number, or a time or size with its unit. An invalid text is kept while it is typed, but not applied. */
export function NumberField(props: FieldProps) {
  const { field, path, label, bare } = props;
  const value = useValue(path);
  const set = useSetter(field, path);
  const expression = useExpression(field, path);
  const [typed, setTyped] = useState<string>();
  const { measure, bounds } = field.shape.kind === 'number' ? field.shape : NO_SHAPE;
  const typedNumber = typed === undefined ? undefined : numberIn(typed, field.required, measure);
  // The typed text stays as it is (`1.`, ` 5`) while it means the value, or no number at all.
  const keepsTyped = typed !== undefined && (typedNumber === 'none' || typedNumber === value);
  const isWrong = keepsTyped && typedNumber === 'none';
  const messages = useMessages(field, path, value);

  function change(next: string): void {
    setTyped(next);
    const number = numberIn(next, field.required, measure);
    if (number !== 'none') set(number);
  }

  return (
    <FieldFrame
      {...props}
      native={!expression?.on}
      value={value}
      messages={isWrong ? [notANumber(measure ? MEASURE_HINT[measure] : 'Write a number.')] : messages}
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
              inputMode={measure ? 'text' : 'decimal'}
              value={keepsTyped ? typed : textOf(value, measure)}
              onValueChange={change}
              onBlur={() => !isWrong && setTyped(undefined)}
              placeholder={
                measure && typeof field.defaultValue === 'number'
                  ? measureText(field.defaultValue, measure)
                  : shownDefault(field.defaultValue)
              }
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

const NO_SHAPE = { measure: undefined, bounds: undefined };

function numberIn(
  text: string,
  isRequired: boolean,
  measure: Measure | undefined,
): number | undefined | 'none' {
  if (measure && text.trim() !== '') return measureIn(text, measure) ?? 'none';
  const digits = text.replace(/[\s_]/g, '');
  if (digits === '') return isRequired ? 'none' : undefined;
  return Number.isFinite(Number(digits)) ? Number(digits) : 'none';
}

function textOf(value: unknown, measure: Measure | undefined): string {
  if (measure && typeof value === 'number') return measureText(value, measure);
  return value === undefined ? '' : typeof value === 'number' ? String(value) : JSON.stringify(value);
}
