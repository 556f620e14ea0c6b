import { Maximize2 } from 'lucide-react';
import { useState } from 'react';
import { formatPath } from '#engine/check';
import { CodeEditor } from './CodeEditor.tsx';
import type { FieldProps, FrameIds } from './FieldFrame.tsx';
import { useForm, useSetter, useValue } from './form-context.tsx';
import type { DraggedPath } from '../ui/path-drag.ts';
import { expressionFor, takesPath, withPath } from './insert-path.ts';
import { PreviewLine } from './PreviewLine.tsx';
import { shownDefault } from './shown-value.ts';
import { ENLARGE_KEYS, useEnlarge } from './use-enlarge.ts';
import { usePreview } from './use-preview.ts';
import { IconButton } from '../ui/IconButton.tsx';

interface TemplateEditorProps extends FieldProps {
  readonly ids: FrameIds;
  readonly multiline?: boolean;
  readonly placeholder?: string;
}

/** A text with expressions, and below it its value in the last run. */
export function TemplateEditor({
  field,
  path,
  label = field.title,
  ids,
  multiline = false,
  placeholder,
}: TemplateEditorProps) {
  const form = useForm();
  const value = useValue(path);
  const set = useSetter(field, path);
  const [focused, setFocused] = useState(false);
  const text = typeof value === 'string' ? value : '';
  const preview = usePreview(text, form.scope);
  const enlarge = useEnlarge(field, path, label);
  const drop = (dragged: DraggedPath, at: number, isInside: boolean): void => {
    const next = isInside
      ? `${text.slice(0, at)}${expressionFor(field, dragged).slice(3, -3)}${text.slice(at)}`
      : withPath(field, text, dragged, at);
    form.set(path, next, `Insert ${dragged.path}`, { merge: false });
  };
  return (
    <>
      <div className="group/editor relative min-w-0">
        <CodeEditor
          language="template"
          label={label}
          multiline={multiline}
          value={text}
          onChange={(next) => set(next === '' && !field.required ? undefined : next)}
          placeholder={
            placeholder ?? (field.defaultValue === undefined ? '{{ … }}' : shownDefault(field.defaultValue))
          }
          scope={form.scope}
          problems={form.problemsAt(formatPath(path), false)}
          describedBy={ids.describedBy}
          invalid={ids.invalid}
          onFocusChange={setFocused}
          onDropPath={takesPath(field) ? drop : undefined}
        />
        {enlarge && (
          <IconButton
            size="sm"
            icon={Maximize2}
            label={`${label}: open the large editor`}
            keys={[ENLARGE_KEYS]}
            // Tab leaves the field: by keys it is opened with the shortcut.
            tabIndex={-1}
            onClick={enlarge}
            className="absolute top-0.5 right-0.5 bg-surface opacity-0 group-focus-within/editor:opacity-100 group-hover/editor:opacity-100 [@media(hover:none)]:opacity-100"
          />
        )}
      </div>
      <PreviewLine preview={preview} focused={focused} />
    </>
  );
}
