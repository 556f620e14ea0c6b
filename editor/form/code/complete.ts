import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  startCompletion,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { type Suggestion, suggestionsAt } from '../../model/expression/expression-completion.ts';
import type { ScopeSource } from '../form-model.ts';

/** Completion between `{{` and `}}`: what the node can read, and what can be done with it. */
export function completeTemplates(scope: ScopeSource): Extension {
  return autocompletion({
    // The keys of suggestions stand among those of the field, after its Escape.
    defaultKeymap: false,
    override: [(context) => complete(context, scope)],
    icons: false,
    activateOnTypingDelay: 30,
    addToOptions: [{ render: kindMark, position: 20 }],
  });
}

function complete(context: CompletionContext, scope: ScopeSource): CompletionResult | null {
  const text = context.state.doc.toString();
  const found = suggestionsAt(text, context.pos, scope.current());
  if (!found || found.options.length === 0) return null;
  return { from: found.from, options: found.options.map(toCompletion), validFor: /^[\w$]*$/ };
}

const RANK = { local: 5, field: 4, root: 3, method: 2, function: 1, constant: 0 } as const;

function toCompletion(suggestion: Suggestion, at: number): Completion {
  const { label, kind, detail, doc } = suggestion;
  return {
    label,
    type: kind,
    detail,
    boost: RANK[kind] * 10 - Math.min(9, at / 50),
    ...(doc && { info: doc }),
    apply: (view, _, from, to) => insert(view, suggestion, from, to),
  };
}

function insert(view: EditorView, { label, kind, apply }: Suggestion, from: number, to: number): void {
  const calls = kind === 'function' || kind === 'method';
  const hasBracket = view.state.sliceDoc(to, to + 1) === '(';
  const text = calls && !hasBracket ? `${label}()` : (apply ?? label);
  // A field in brackets replaces the dot before it.
  const dot = apply?.startsWith('[') ? 1 : 0;
  const start = from - dot;
  view.dispatch({
    changes: { from: start, to, insert: text },
    selection: { anchor: start + text.length - (calls && !hasBracket ? 1 : 0) },
    userEvent: 'input.complete',
  });
  if (kind === 'root' && ['nodes', 'inputs', 'trigger', 'vars'].includes(label)) {
    view.dispatch({
      changes: { from: start + text.length, insert: '.' },
      selection: { anchor: start + text.length + 1 },
    });
    startCompletion(view);
  }
}

const MARKS: Readonly<Record<string, string>> = {
  root: '◆',
  field: '·',
  local: 'x',
  function: 'ƒ',
  method: 'ƒ',
  constant: '=',
};

function kindMark(completion: Completion): Node {
  const mark = document.createElement('span');
  mark.textContent = MARKS[completion.type ?? ''] ?? '';
  mark.ariaHidden = 'true';
  mark.className = 'cm-kind';
  return mark;
}
