import type { FileValue } from '#shared/file.ts';
import { choiceText, type WaitField as FieldSpec } from '#shared/wait-form.ts';
import { Field } from '../ui/Field.tsx';
import { Input, TextArea } from '../ui/Input.tsx';
import { Select } from '../ui/Select.tsx';
import { Checkbox } from '../ui/Switch.tsx';
import { UploadedFiles } from '../form/UploadedFiles.tsx';

interface WaitFieldProps {
  field: FieldSpec;
  /** As typed. */
  text: string;
  error: string | undefined;
  onText(text: string): void;
  /** Of a field for files. */
  files: readonly FileValue[];
  onFiles(files: readonly FileValue[]): void;
}

/** A field of a form that a run asks for. */
export function WaitField({ field, text, error, onText, files, onFiles }: WaitFieldProps) {
  const { label, help, required, type } = field;
  if (type === 'boolean') {
    return (
      <label className="flex items-start gap-2">
        <Checkbox checked={text === 'true'} onCheckedChange={(isOn) => onText(String(isOn))} />
        <span>
          {label}
          {required && <span className="text-text-2"> required</span>}
          {help !== undefined && <span className="block text-xs text-text-2">{help}</span>}
          {error !== undefined && <span className="block text-xs text-bad">{error}</span>}
        </span>
      </label>
    );
  }
  if (field.files) {
    return (
      <div role="group" aria-label={label} className="flex flex-col gap-1">
        <span className="text-xs font-medium">
          {label}
          {required && <span className="font-normal text-text-2"> required</span>}
        </span>
        {help !== undefined && <span className="text-xs text-text-2">{help}</span>}
        <UploadedFiles label={label} limits={field.files} files={files} onFiles={onFiles} />
        {error !== undefined && <span className="text-xs text-bad">{error}</span>}
      </div>
    );
  }
  return (
    <Field label={label} help={help} error={error} required={required}>
      <Control field={field} text={text} onText={onText} />
    </Field>
  );
}

function Control({
  field: { type, choices },
  text,
  onText,
}: Pick<WaitFieldProps, 'field' | 'text' | 'onText'>) {
  switch (type) {
    case 'choice':
      return (
        <Select
          value={text === '' ? undefined : text}
          onValueChange={onText}
          options={choices.map(choiceText).map((value) => ({ value, label: value }))}
        />
      );
    case 'longtext':
    case 'json':
      return <TextArea rows={4} mono={type === 'json'} value={text} onValueChange={onText} />;
    case 'date':
      return <Input type="date" value={text} onValueChange={onText} />;
    case 'number':
    case 'integer':
      return <Input inputMode="decimal" value={text} onValueChange={onText} />;
    default:
      return <Input value={text} onValueChange={onText} />;
  }
}
