import { useState } from 'react';
import {
  type RequestField as Row,
  requestFields,
  withRequestFields,
} from '../../model/form/request-fields.ts';
import { SegmentedControl } from '../../ui/SegmentedControl.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { useForm, useMessages, useSetter, useValue } from '../form-context.tsx';
import { JsonEditor } from '../JsonEditor.tsx';
import { RequestRows } from './RequestRows.tsx';

type Mode = 'fields' | 'json';

/** The model of a request: a list of fields, or a JSON Schema. */
export function RequestField(props: FieldProps) {
  const { field, path, label = field.title } = props;
  const form = useForm();
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, value, true);
  const [chosen, setChosen] = useState<Mode>('fields');
  const rows = requestFields(value);
  const mode = rows ? chosen : 'json';

  function change(next: readonly Row[], typed = false): void {
    const schema = next.length === 0 && value === undefined ? undefined : withRequestFields(value, next);
    form.set(path, schema, `Change ${field.title.toLowerCase()}`, { merge: typed });
  }

  return (
    <FieldFrame
      {...props}
      value={value}
      messages={messages}
      onReset={() => set(undefined)}
      aside={
        <SegmentedControl<Mode>
          label={`${label}: edited as`}
          value={mode}
          onValueChange={setChosen}
          options={[
            { value: 'fields', label: 'Fields' },
            { value: 'json', label: 'JSON Schema' },
          ]}
        />
      }
    >
      {(ids) =>
        mode === 'fields' && rows ? (
          <RequestRows rows={rows} onChange={change} />
        ) : (
          <>
            <JsonEditor
              path={path}
              label={label}
              value={value}
              ids={ids}
              onChange={set}
              placeholder={EXAMPLE}
            />
            {!rows && (
              <p className="text-xs text-text-2">The schema has more than a list of fields can show.</p>
            )}
          </>
        )
      }
    </FieldFrame>
  );
}

const EXAMPLE = '{ "type": "object", "properties": { } }';
