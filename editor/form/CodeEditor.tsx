import { lazy, Suspense, useContext } from 'react';
import { loadPatiently } from '../model/when-loaded.ts';
import { cx } from '../ui/cx.ts';
import { codeBox, type CodeEditorProps } from './code-editor-props.ts';
import { ReadOnly } from './read-only.ts';

const loadCodeMirror = () => import('./code/CodeMirror.tsx');
const CodeMirror = lazy(() => loadPatiently(loadCodeMirror));

/** Starts to load the editor, so that it is ready when a field needs it. */
export function preloadCodeEditor(): void {
  // If this fails, the field itself tries again.
  loadCodeMirror().catch(() => undefined);
}

/** A text with `{{ }}`, or JSON. CodeMirror is loaded with the first such field. */
export function CodeEditor(props: CodeEditorProps) {
  const readOnly = useContext(ReadOnly);
  return (
    <Suspense fallback={<Waiting {...props} />}>
      <CodeMirror {...props} readOnly={readOnly} />
    </Suspense>
  );
}

function Waiting({ value, placeholder, multiline, invalid }: CodeEditorProps) {
  return (
    <div
      aria-busy
      className={cx(
        codeBox,
        'overflow-hidden px-2 py-1 font-mono text-xs leading-[18px] whitespace-pre-wrap',
        multiline && 'min-h-19',
        invalid && 'border-bad',
      )}
    >
      {value || <span className="text-text-2">{placeholder}</span>}&nbsp;
    </div>
  );
}
