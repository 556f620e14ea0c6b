import { jsonParseLinter } from '@codemirror/lang-json';
import { type Diagnostic, linter } from '@codemirror/lint';
import { type Extension, StateEffect } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { templateFaults } from '../../model/expression/expression-preview.ts';
import type { CodeEditorProps } from '../code-editor-props.ts';

const DELAY_MS = 250;

/** Underlines problems: the parser's at once, and those of the check of the whole flow. */
export function templateDiagnostics(props: () => CodeEditorProps): Extension {
  return linter(
    (view) => {
      const { scope } = props();
      if (!scope) return [];
      const text = view.state.doc.toString();
      const checked = checkedFaults(props());
      const parsed = templateFaults(text, scope.current())
        .filter(({ offset }) => !checked.some((other) => other.offset === offset))
        .map(({ offset, message }) => ({ offset, severity: 'error' as const, message }));
      return [...checked, ...parsed].map((fault) => toDiagnostic(text, fault));
    },
    { delay: DELAY_MS, needsRefresh },
  );
}

/** Underlines the problems of the last check of the whole flow. */
export function codeDiagnostics(props: () => CodeEditorProps): Extension {
  return [
    linter((view) => checkedFaults(props()).map((fault) => toDiagnostic(view.state.doc.toString(), fault)), {
      delay: DELAY_MS,
      needsRefresh,
    }),
    failedLine(props),
  ];
}

/** Marks the line where the last run failed, with what it said. */
function failedLine(props: () => CodeEditorProps): Extension {
  const marked = (view: EditorView): DecorationSet => {
    const { fault } = props();
    if (!fault || fault.line < 1 || fault.line > view.state.doc.lines) return Decoration.none;
    const { from } = view.state.doc.line(fault.line);
    const look = Decoration.line({ class: 'cm-failed-line', attributes: { title: fault.message } });
    return Decoration.set(look.range(from));
  };
  return ViewPlugin.define(
    (view) => ({
      marks: marked(view),
      update(update) {
        if (update.docChanged || needsRefresh(update)) this.marks = marked(update.view);
      },
    }),
    { decorations: (plugin) => plugin.marks },
  );
}

interface Fault {
  readonly offset: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

function checkedFaults({ problems = [] }: CodeEditorProps): Fault[] {
  return problems
    .filter(({ offset }) => offset !== undefined)
    .map(({ offset = 0, severity, message }) => ({ offset, severity, message }));
}

function toDiagnostic(text: string, { offset, severity, message }: Fault): Diagnostic {
  return { ...wordAt(text, offset), severity, message };
}

function needsRefresh(update: ViewUpdate): boolean {
  return update.transactions.some((tr) => tr.effects.some((effect) => effect.is(lookAgain)));
}

export function jsonDiagnostics(): Extension {
  const parse = jsonParseLinter();
  return linter((view) => (view.state.doc.length === 0 ? [] : parse(view)), { delay: DELAY_MS });
}

const lookAgain = StateEffect.define<null>();

/** Updates after the problems of the flow have changed. */
export function recheck(view: EditorView): void {
  view.dispatch({ effects: lookAgain.of(null) });
}

function wordAt(text: string, offset: number): { from: number; to: number } {
  const from = Math.min(Math.max(0, offset), Math.max(0, text.length - 1));
  const word = /^(?:[\w$]+|\S)/.exec(text.slice(from))?.[0] ?? '';
  return { from, to: Math.min(text.length, from + Math.max(1, word.length)) };
}
