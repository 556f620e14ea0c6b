import { closeCompletion, completionKeymap, completionStatus } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightSpecialChars,
  type KeyBinding,
  keymap,
  lineNumbers,
  placeholder,
  tooltips,
} from '@codemirror/view';
import type { CodeEditorProps } from '../code-editor-props.ts';
import { codeLanguage, jsonColors, pythonLanguage, sqlLanguage } from './languages.ts';
import { completeTemplates } from './complete.ts';
import { codeDiagnostics, jsonDiagnostics, templateDiagnostics } from './diagnostics.ts';
import { braceInput } from './brace-input.ts';
import { highlightHoles } from './holes.ts';
import { theme } from './styles.ts';

/** All extensions of an editor; `props` returns the field's current props. */
export function editorExtensions(props: () => CodeEditorProps): Extension[] {
  const { language, multiline, scope, reads, placeholder: hint } = props();
  return [
    theme,
    drawSelection(),
    // Signs that turn the direction of a text round stand there as dots.
    highlightSpecialChars(),
    EditorView.lineWrapping,
    tooltips({ position: 'fixed', parent: document.body }),
    ...(language === 'json' ? jsonLanguage : []),
    ...(language === 'code' ? [lineNumbers(), codeLanguage(reads)] : []),
    ...(language === 'python' ? [lineNumbers(), pythonLanguage] : []),
    ...(language === 'sql' ? [sqlLanguage] : []),
    ...(hint ? [placeholder(hint)] : []),
    ...writing(props, multiline),
    ...(scope ? [highlightHoles] : []),
  ];
}

const jsonLanguage: Extension[] = [json(), jsonColors, bracketMatching()];

function writing(props: () => CodeEditorProps, multiline: boolean): Extension[] {
  const { scope, language } = props();
  return [
    history(),
    ...(scope ? [completeTemplates(scope), braceInput] : []),
    ...(scope && language === 'template' ? [templateDiagnostics(props)] : []),
    ...(language === 'json' ? [jsonDiagnostics()] : []),
    ...(language === 'code' || language === 'python' ? [codeDiagnostics(props)] : []),
    // Mod+Enter runs the flow, from everywhere.
    keymap.of([
      leaveField,
      ...(multiline ? [] : oneLine),
      ...completionKeymap,
      ...historyKeymap,
      ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
    ]),
    ...(multiline ? [] : [EditorView.clipboardInputFilter.of((text) => text.replace(/\s*\n\s*/g, ' '))]),
  ];
}

/** Escape closes the suggestions, then leaves the field: of a panel beside the canvas to its node, which the shell does, and the large editor with it. Tab moves on, since the editor does not use it. */
const leaveField: KeyBinding = {
  key: 'Escape',
  run: (view) => {
    const isOpen = completionStatus(view.state) === 'active';
    // Suggestions that are still looked for would take the key, and open later.
    closeCompletion(view);
    if (isOpen) return true;
    if (view.contentDOM.closest('aside, [data-expression-editor]')) return false;
    view.contentDOM.blur();
    return true;
  },
  stopPropagation: true,
};

/** Enter adds no line, unless with Shift. */
const oneLine: readonly KeyBinding[] = [
  { key: 'Enter', run: (view) => completionStatus(view.state) !== 'active' },
];
