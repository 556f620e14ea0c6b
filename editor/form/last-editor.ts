import type { EditorView } from '@codemirror/view';
import { openHole } from '../model/expression/expression-completion.ts';

/** The expression field that had the focus last: "insert path" puts paths there. */
let last: EditorView | undefined;

export function rememberEditor(view: EditorView): void {
  last = view;
}

export function forgetEditor(view: EditorView): void {
  if (last === view) last = undefined;
}

/**
 * Writes a path at the cursor of that field, in braces unless the cursor is in an expression already. Returns the field, to
 * focus it when it is in view; undefined if there is none.
 */
export function insertPath(path: string): { focus(): void } | undefined {
  const view = last;
  if (!view?.dom.isConnected) return undefined;
  const { from, to } = view.state.selection.main;
  const isInside = openHole(view.state.doc.toString(), from) !== undefined;
  const insert = isInside ? path : `{{ ${path} }}`;
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    userEvent: 'input.paste',
    scrollIntoView: true,
  });
  return { focus: () => view.focus() };
}
