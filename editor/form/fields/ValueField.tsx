import { Braces } from 'lucide-react';
import { useState } from 'react';
import { parseKeepingDigits } from '#shared/lost-digits.ts';
import { hasTemplate } from '#engine/check';
import { IconButton } from '../../ui/IconButton.tsx';
import { SegmentedControl } from '../../ui/SegmentedControl.tsx';
import { FieldFrame, type FieldProps, type FrameIds } from '../FieldFrame.tsx';
import { useMessages, useSetter, useValue } from '../form-context.tsx';
import { JsonEditor } from '../JsonEditor.tsx';
import { TemplateEditor } from '../TemplateEditor.tsx';

type Mode = 'text' | 'json';

/** Any value: a text, usually one expression that then keeps its type, or JSON with expressions in its texts. */
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
    // An object becomes the expression that makes it.
    if (next === 'text' && !isText) void whole(value).then(set, () => undefined);
    // A text that is JSON becomes its value.
    if (next === 'json' && typeof value === 'string' && !hasTemplate(value)) set(jsonIn(value));
  }

  const isJson = mode === 'json';
  const editor = (ids: FrameIds) =>
    isJson ? (
      <JsonEditor
        path={path}
        label={label}
        value={value}
        ids={ids}
        onChange={set}
        templates
        placeholder="{ }"
      />
    ) : (
      <TemplateEditor {...props} ids={ids} />
    );
  return (
    <FieldFrame
      {...props}
      value={value}
      messages={messages}
      onReset={() => set(undefined)}
      aside={<ModeSwitch label={label} mode={mode} onChoose={choose} />}
    >
      {(ids) =>
        bare ? (
          <div className="flex min-w-0 items-start gap-1">
            <div className="flex min-w-0 flex-1 flex-col gap-1">{editor(ids)}</div>
            <IconButton
              size="sm"
              icon={Braces}
              pressed={isJson}
              label={`${label} as JSON`}
              onClick={() => choose(isJson ? 'text' : 'json')}
              className="mt-0.5"
            />
          </div>
        ) : (
          editor(ids)
        )
      }
    </FieldFrame>
  );
}

interface ModeSwitchProps {
  label: string;
  mode: Mode;
  onChoose(mode: Mode): void;
}

function ModeSwitch({ label, mode, onChoose }: ModeSwitchProps) {
  return (
    <SegmentedControl
      label={`${label}: written as`}
      value={mode}
      onValueChange={onChoose}
      options={[
        { value: 'text', label: 'Text' },
        { value: 'json', label: 'JSON' },
      ]}
    />
  );
}

/** The expression that gives a value; the value itself if there is none, so that nothing is lost. */
async function whole(value: unknown): Promise<unknown> {
  const { asExpression } = await import('../../model/expression/convert.ts');
  return asExpression(value) ?? value;
}

function jsonIn(text: string): unknown {
  try {
    return parseKeepingDigits(text);
  } catch {
    return text;
  }
}
