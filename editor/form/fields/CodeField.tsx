import { formatPath } from '#engine/check';
import { useContext } from 'react';
import type { FieldShape } from '../../model/form/schema-form.ts';
import { CodeEditor } from '../CodeEditor.tsx';
import { FieldFrame, type FieldProps } from '../FieldFrame.tsx';
import { DescribedRows } from './DescribedRows.tsx';
import { LastCodeRun, useForm, useMessages, useSetter, useValue } from '../form-context.tsx';

const PLACEHOLDERS = {
  sql: 'SELECT … WHERE id = :id',
  python: 'return input',
  code: 'return input;',
} as const;

function languageOf(shape: FieldShape): keyof typeof PLACEHOLDERS {
  if (shape.kind === 'sql') return 'sql';
  return shape.kind === 'code' ? (shape.language ?? 'code') : 'code';
}

function placeholderOf({ schema }: FieldProps['field'], language: keyof typeof PLACEHOLDERS): string {
  const own = schema['placeholder'];
  return typeof own === 'string' ? own : PLACEHOLDERS[language];
}

/** A piece of code or SQL. The server reports problems of code with the next save. */
export function CodeField(props: FieldProps) {
  const { field, path, label = field.title } = props;
  const form = useForm();
  const value = useValue(path);
  const set = useSetter(field, path);
  const messages = useMessages(field, path, value);
  const language = languageOf(field.shape);
  const ran = useContext(LastCodeRun);
  const isCode = language !== 'sql';
  return (
    <FieldFrame {...props} value={value} messages={messages} onReset={() => set(undefined)}>
      {(ids) => (
        <>
          <CodeEditor
            language={language}
            multiline
            label={label}
            value={typeof value === 'string' ? value : ''}
            onChange={set}
            placeholder={placeholderOf(field, language)}
            problems={form.problemsAt(formatPath(path), false)}
            reads={form.scope}
            fault={isCode ? ran?.fault : undefined}
            describedBy={ids.describedBy}
            invalid={ids.invalid}
          />
          {isCode ? ran?.console : <DescribedRows path={path} />}
        </>
      )}
    </FieldFrame>
  );
}
