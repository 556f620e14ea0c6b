import { useState } from 'react';
import { formatPath, type Path } from '#engine/check';
import { CodeEditor } from './CodeEditor.tsx';
import type { FrameIds } from './FieldFrame.tsx';
import { useForm } from './form-context.tsx';
import { jsonText, parsedJson } from './json-text.ts';

interface JsonEditorProps {
  path: Path;
  label: string;
  value: unknown;
  ids: FrameIds;
  onChange(value: unknown): void;
  placeholder?: string;
  /** Texts in it may contain expressions. */
  templates?: boolean;
}

/** JSON as text. Valid text becomes the value; until then the text is kept, and the previous value applies. */
export function JsonEditor({
  path,
  label,
  value,
  ids,
  onChange,
  placeholder,
  templates = false,
}: JsonEditorProps) {
  const form = useForm();
  const name = formatPath(path);
  const [text, setText] = useState(() => form.drafts.get(name) ?? jsonText(value));
  const parsed = parsedJson(text);
  const isKept = form.drafts.has(name);
  // Changed from outside (undo, a fix): the text belongs to the old value.
  const shown = isKept || sameJson(parsed, value) ? text : jsonText(value);
  const fault = isKept ? faultIn(parsedJson(shown)) : undefined;

  function change(next: string): void {
    setText(next);
    const result = parsedJson(next);
    if ('fault' in result) {
      form.drafts.set(name, next);
      return;
    }
    form.drafts.delete(name);
    onChange(result.value);
  }

  return (
    <>
      <CodeEditor
        language="json"
        multiline
        label={label}
        value={shown}
        onChange={change}
        placeholder={placeholder}
        scope={templates ? form.scope : undefined}
        describedBy={ids.describedBy}
        invalid={ids.invalid || fault !== undefined}
      />
      {fault !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {fault} The previous value still applies.
        </p>
      )}
    </>
  );
}

function faultIn(result: ReturnType<typeof parsedJson>): string | undefined {
  return 'fault' in result ? result.fault : undefined;
}

function sameJson(parsed: ReturnType<typeof parsedJson>, value: unknown): boolean {
  return 'value' in parsed && JSON.stringify(parsed.value) === JSON.stringify(value);
}
