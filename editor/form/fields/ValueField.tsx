import { useState } from 'react';
import { hasTemplate } from '#engine/check';
import { asExpression } from '../../model/expression-preview.ts';
import { SegmentedControl } from '../../ui/SegmentedControl.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { useMessages, useSetter, useValue } from '../form-context.tsx';
import { JsonEditor } from '../JsonEditor.tsx';
import { TemplateEditor } from '../TemplateEditor.tsx';

type Mode = 'text' | 'json';

/** Any value: a text, which is mostly one expression and then keeps its type, or JSON with expressions in its texts. */
export function ValueField(props: FieldProps) {
  const { field, path, label = field.title, bare } = props;
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, value, true);
  const [chosen, setChosen] = useState<Mode>();
  const isText =
    typeof value === 'string' || (value === undefined && typeof (field.defaultValue ?? '') === 'string');
  const mode = !isText ? 'json' : (chosen ?? 'text');

  function choose(next: Mode): void {
    setChosen(next);
    // An object becomes the expression that makes it; what holds expressions itself begins anew.
    if (next === 'text' && !isText) set(asExpression(value) ?? '');
    // A text that is JSON becomes what it says.
    if (next === 'json' && typeof value === 'string' && !hasTemplate(value)) set(jsonIn(value));
  }

  const control = (
    <SegmentedControl
      label={`${label}: written as`}
      value={mode}
      onValueChange={choose}
      options={[
        { value: 'text', label: 'Text' },
        { value: 'json', label: 'JSON' },
      ]}
    />
  );
  return (
    <FieldFrame
      {...props}
      value={value}
      messages={messages}
      onReset={() => set(undefined)}
      aside={!bare && control}
    >
      {(ids) => (
        <div className="flex min-w-0 flex-col gap-1">
          {bare && <div className="self-end">{control}</div>}
          {mode === 'text' ? (
            <TemplateEditor {...props} ids={ids} />
          ) : (
            <JsonEditor
              path={path}
              label={label}
              value={value}
              ids={ids}
              onChange={set}
              templates
              placeholder="{ }"
            />
          )}
        </div>
      )}
    </FieldFrame>
  );
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
