import { Braces, ListChecks } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { JsonSchema } from '#shared/json.ts';
import { FormProvider } from '../form/form-context.tsx';
import { FieldList } from '../form/FieldList.tsx';
import { FieldView } from '../form/FieldView.tsx';
import { CodeEditor } from '../form/CodeEditor.tsx';
import { parsedJson } from '../form/json-text.ts';
import { schemaFields } from '../model/form/schema-form.ts';
import { SegmentedControl } from '../ui/SegmentedControl.tsx';
import type { InputModel } from '../form/input-model.ts';

interface InputEditorProps {
  schema: JsonSchema | undefined;
  model: InputModel;
  /** Why the text is not an input; undefined if it is one. */
  onFault(fault: string | undefined): void;
  /** Beside the choice of form or JSON. */
  aside?: ReactNode;
}

type Mode = 'form' | 'json';
const MODES = [
  { value: 'form', label: 'Form', icon: ListChecks },
  { value: 'json', label: 'JSON', icon: Braces },
] as const;

/** The input of a run: as a form of its request model, or as JSON. */
export function InputEditor({ schema, model, onFault, aside }: InputEditorProps) {
  const fields = schema ? schemaFields(schema) : [];
  const [mode, setMode] = useState<Mode>(fields.length > 0 ? 'form' : 'json');
  return (
    <section aria-label="Input" className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-2">
        {fields.length > 0 && (
          <SegmentedControl
            label="Input as"
            value={mode}
            options={MODES}
            onValueChange={(next) => {
              onFault(undefined);
              setMode(next);
            }}
          />
        )}
        {aside}
      </div>
      {mode === 'form' ? (
        <FormProvider form={model.form}>
          <FieldList fields={fields} path={[]} view={FieldView} />
        </FormProvider>
      ) : (
        <JsonInput model={model} onFault={onFault} />
      )}
    </section>
  );
}

function JsonInput({ model, onFault }: Pick<InputEditorProps, 'model' | 'onFault'>) {
  const [text, setText] = useState(() => JSON.stringify(model.value() ?? {}, null, 2));
  const parsed = parsedJson(text);
  return (
    <div className="flex flex-col gap-1">
      <CodeEditor
        language="json"
        multiline
        label="Input as JSON"
        value={text}
        invalid={'fault' in parsed}
        onChange={(next) => {
          setText(next);
          const result = parsedJson(next);
          onFault('fault' in result ? result.fault : undefined);
          if ('value' in result) model.replace(result.value);
        }}
      />
      {'fault' in parsed && (
        <p role="alert" className="text-xs text-bad">
          {parsed.fault}
        </p>
      )}
    </div>
  );
}
