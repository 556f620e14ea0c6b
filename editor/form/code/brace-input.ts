import { startCompletion } from '@codemirror/autocomplete';
import { EditorView } from '@codemirror/view';
import { openHole } from '../../model/expression/expression-completion.ts';

/** The second `{` adds `}}`; a `}` that would double an existing one moves over it. */
export const braceInput = EditorView.inputHandler.of((view, from, to, text) => {
  if (from !== to || (text !== '{' && text !== '}')) return false;
  const doc = view.state.doc.toString();
  if (text === '{') return openBraces(view, doc, from);
  const hole = openHole(doc, from);
  if (doc[from] !== '}' || !hole || hole.inText || depthOf(doc.slice(hole.start, from)) > 0) return false;
  view.dispatch({ selection: { anchor: from + 1 }, userEvent: 'input.type' });
  return true;
});

function openBraces(view: EditorView, doc: string, at: number): boolean {
  const isSecond = doc[at - 1] === '{' && doc[at - 2] !== '{' && doc[at - 2] !== '\\';
  if (!isSecond || openHole(doc, at - 1) || doc.startsWith('}', at)) return false;
  view.dispatch({
    changes: { from: at, insert: '{}}' },
    selection: { anchor: at + 1 },
    userEvent: 'input.type',
  });
  startCompletion(view);
  return true;
}

/** Number of open object brackets. Brackets in texts count too; the parser reports it if that matters. */
function depthOf(text: string): number {
  let depth = 0;
  for (const sign of text) depth += sign === '{' ? 1 : sign === '}' ? -1 : 0;
  return depth;
}
