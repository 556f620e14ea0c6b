import type { EditorView } from '@codemirror/view';
import { openHole } from '../model/expression/expression-completion.ts';

/** The expression field that had the focus last: "insert path" puts paths there. */
let last: EditorView | undefined;
/** The SQL field that had the focus last, or was shown last: names of tables and columns go there. */
let lastSql: EditorView | undefined;

export function rememberEditor(view: EditorView, language?: 'sql'): void {
  if (language === 'sql') lastSql = view;
  else last = view;
}

export function forgetEditor(view: EditorView): void {
  if (last === view) last = undefined;
  if (lastSql === view) lastSql = undefined;
}

/** Writes a name at the cursor of that SQL field, apart from the word before it. False if there is none. */
export function insertName(name: string): boolean {
  const view = lastSql;
  if (!view?.dom.isConnected || view.state.readOnly) return false;
  const { from, to } = view.state.selection.main;
  const isBehindWord = /[\w",`]/.test(view.state.sliceDoc(from - 1, from));
  const insert = isBehindWord ? ` ${name}` : name;
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    userEvent: 'input.paste',
    scrollIntoView: true,
  });
  return true;
}

/**
 * Writes a path at the cursor of that field, in braces unless the cursor is in an expression already. Returns the field, to
 * focus it when it is in view; undefined if there is none.
 */
export function insertPath(path: string): { focus(): void } | undefined {
  return insertExpression(path, path.length);
}

/** The same with a call of a function, or a method with its dot; the cursor is then between the brackets. */
export function insertCall(name: string): { focus(): void } | undefined {
  return insertExpression(`${name}()`, name.length + 1);
}

/** Puts the cursor of that field to an offset, and the focus into it. */
export function placeCursor(offset: number): void {
  const view = last;
  if (!view?.dom.isConnected) return;
  const anchor = Math.min(offset, view.state.doc.length);
  view.dispatch({ selection: { anchor }, scrollIntoView: true });
  view.focus();
}

function insertExpression(text: string, cursor: number): { focus(): void } | undefined {
  const view = last;
  if (!view?.dom.isConnected) return undefined;
  const { from, to } = view.state.selection.main;
  const isInside = openHole(view.state.doc.toString(), from) !== undefined;
  const insert = isInside ? text : `{{ ${text} }}`;
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + cursor + (isInside ? 0 : 3) + (!isInside && cursor === text.length ? 3 : 0) },
    userEvent: 'input.paste',
    scrollIntoView: true,
  });
  return { focus: () => view.focus() };
}
