import { Plus, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { compiledSchema } from '#engine/check';
import { initialValue, singular } from '../../model/schema-initial.ts';
import { Button } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { DraftInput } from '../DraftInput.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { FieldView } from '../FieldView.tsx';
import { FormProvider, useDerived, useForm, useMessages } from '../form-context.tsx';
import { withDefault } from '../form-model.ts';
import { TemplateEditor } from '../TemplateEditor.tsx';
import { useExpression } from '../use-expression.ts';

/** Values by names that the author chooses: headers, fields to set. */
export function RecordField(props: FieldProps) {
  const { field, path } = props;
  const { shape } = field;
  const outer = useForm();
  const fallback = field.defaultValue ?? NOTHING;
  const name = path.join('/');
  const form = useMemo(() => withDefault(outer, path, fallback), [outer, name, fallback]);
  // The names alone, so that typing a value does not draw the whole list again.
  const names = useDerived(path, (value) => JSON.stringify(Object.keys(recordIn(value ?? fallback))));
  const keys = useMemo(() => JSON.parse(names) as string[], [names]);
  const isSet = useDerived(path, (value) => value !== undefined);
  const expression = useExpression(field, path);
  const messages = useMessages(field, path, undefined);
  const [fresh, setFresh] = useState<string>();
  const [refused, setRefused] = useState<{ key: string; text: string }>();
  const one = singular(field.title.toLowerCase());

  const change = (entries: [string, unknown][], what: string) =>
    form.set(path, Object.fromEntries(entries), `${what} ${one}`, { merge: false });
  const entries = () => Object.entries(recordIn(form.get(path)));

  function add(): void {
    if (shape.kind !== 'record') return;
    const key = freeKey(keys);
    setFresh(key);
    change([...entries(), [key, initialValue(shape.value, { list: field.name, count: keys.length })]], 'Add');
  }

  function rename(from: string, to: string): void {
    const text = refusal(to, keys, shape.kind === 'record' ? shape.keys : undefined);
    setRefused(text === undefined ? undefined : { key: from, text });
    if (text === undefined) change(entries().map(([key, value]) => [key === from ? to : key, value]), 'Rename');
  }

  return (
    <FieldFrame
      {...props}
      value={isSet || undefined}
      messages={messages}
      expression={expression}
      onReset={() => form.set(path, undefined, `Reset ${field.title.toLowerCase()}`)}
    >
      {(ids) =>
        expression?.on ? (
          <TemplateEditor {...props} ids={ids} />
        ) : (
          <FormProvider form={form}>
            {keys.map((key, i) => (
              <div key={i} className="flex flex-col gap-1 rounded-md border border-line bg-surface-2 p-1.5">
                <div className="flex items-center gap-1">
                  <DraftInput
                    mono
                    value={key}
                    onCommit={(to) => rename(key, to)}
                    aria-label={`Name of ${one} ${i + 1}`}
                    autoFocus={key === fresh}
                    onFocus={(event) => key === fresh && event.currentTarget.select()}
                  />
                  <IconButton
                    size="sm"
                    icon={X}
                    label={`Remove ${key}`}
                    onClick={() => change(entries().filter(([other]) => other !== key), 'Remove')}
                  />
                </div>
                {refused?.key === key && (
                  <p role="alert" className="text-xs text-bad">
                    {refused.text}
                  </p>
                )}
                {shape.kind === 'record' && <FieldView field={shape.value} path={[...path, key]} label={`Value of ${key}`} bare />}
              </div>
            ))}
            <Button size="sm" icon={Plus} className="self-start" onClick={add}>
              Add {one}
            </Button>
          </FormProvider>
        )
      }
    </FieldFrame>
  );
}

const NOTHING: Readonly<Record<string, unknown>> = {};

function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as typeof NOTHING) : NOTHING;
}

function freeKey(keys: readonly string[]): string {
  for (let n = 1; ; n++) if (!keys.includes(n === 1 ? 'name' : `name_${n}`)) return n === 1 ? 'name' : `name_${n}`;
}

function refusal(key: string, keys: readonly string[], schema: Parameters<typeof compiledSchema>[0] | undefined): string | undefined {
  if (key === '') return 'A name is needed.';
  if (key === '__proto__') return 'This name is not allowed.';
  if (keys.includes(key)) return `There is a ${key} already.`;
  const fits = !schema || compiledSchema(schema)?.safeParse(key).success !== false;
  return fits ? undefined : `${key} is not a name that can stand here.`;
}
