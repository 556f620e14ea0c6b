import { useState } from 'react';
import type { RequestField } from '../../model/form/request-fields.ts';
import { Input } from '../../ui/Input.tsx';
import { parsedJson } from '../json-text.ts';

interface RequestDefaultProps {
  row: RequestField;
  onChange(value: unknown): void;
}

/** The default of a request field: a text as it is, everything else as JSON. */
export function RequestDefault({ row, onChange }: RequestDefaultProps) {
  const isText = row.type === 'string';
  const [typed, setTyped] = useState<string>();
  const written = writtenDefault(row);
  const parsed = parsedJson(typed ?? '');
  const isWrong = !isText && typed !== undefined && 'fault' in parsed;

  function change(text: string): void {
    if (isText) return onChange(text === '' ? undefined : text);
    setTyped(text);
    const result = parsedJson(text);
    if ('value' in result) onChange(result.value);
  }

  return (
    <>
      <Input
        mono={!isText}
        value={isWrong ? typed : written}
        onValueChange={change}
        placeholder={`Default${isText ? '' : ', as JSON'}: none`}
        aria-label={`Default of ${row.name}`}
        aria-invalid={isWrong || undefined}
        data-invalid={isWrong ? '' : undefined}
      />
      {isWrong && (
        <p role="alert" className="text-xs text-bad">
          This is not valid JSON; the previous default still applies.
        </p>
      )}
    </>
  );
}

function writtenDefault({ type, defaultValue }: RequestField): string {
  if (defaultValue === undefined) return '';
  return type === 'string' && typeof defaultValue === 'string' ? defaultValue : JSON.stringify(defaultValue);
}
