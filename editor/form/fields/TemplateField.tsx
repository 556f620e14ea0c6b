import { hasTemplate } from '#engine/check';
import { Button } from '../../ui/Button.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { useMessages, useSetter, useValue } from '../form-context.tsx';
import { TemplateEditor } from '../TemplateEditor.tsx';
import { shownDefault } from '../shown-value.ts';
import { useExpression } from '../use-expression.ts';

/** A text that may contain expressions. If the field is meant for an expression, a text without one gets a hint. */
export function TemplateField(props: FieldProps) {
  const { field, path } = props;
  const { shape } = field;
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, value);
  const expression = useExpression(field, path);
  const wantsExpression = shape.kind === 'expression';
  const isPlain = wantsExpression && typeof value === 'string' && value.trim() !== '' && !hasTemplate(value);
  const placeholder = wantsExpression ? '{{ input.amount > 100 }}' : shownDefault(field.defaultValue);
  return (
    <FieldFrame
      {...props}
      value={value}
      messages={messages}
      // A text without expressions is a fixed value as it stands.
      expression={shape.kind === 'text' && expression?.isKnown ? expression : undefined}
      onReset={() => set(undefined)}
    >
      {(ids) => (
        <>
          <TemplateEditor
            {...props}
            ids={ids}
            multiline={shape.kind === 'text' && shape.multiline}
            placeholder={placeholder}
          />
          {isPlain && (
            <p className="flex items-center gap-2 text-xs text-warn">
              <span className="min-w-0 flex-1">This is a fixed text, so the condition always holds.</span>
              <Button size="sm" onClick={() => set(`{{ ${value.trim()} }}`)}>
                Turn it into an expression
              </Button>
            </p>
          )}
        </>
      )}
    </FieldFrame>
  );
}
