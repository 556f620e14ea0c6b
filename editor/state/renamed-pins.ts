import type { Doc } from '../model/document/document.ts';
import { nodeIn } from '../model/document/flat.ts';
import type { EditorStore } from './editor-store.ts';
import type { RunStore } from './run-store.ts';

/** Reports pinned nodes that got a new id, by an edit or by undoing one. Returns a function that ends that. */
export function watchPins(
  { editor, runs }: { readonly editor: EditorStore; readonly runs: RunStore },
  onRenamed: (from: string, to: string) => void,
): () => void {
  return editor.subscribe(({ doc }, { doc: before }) => {
    for (const pinned of Object.keys(runs.getState().pins)) {
      const to = renamed(pinned, before, doc);
      if (to !== undefined) onRenamed(pinned, to);
    }
  });
}

/** An edit that renames a node keeps its position. */
function renamed(id: string, before: Doc, after: Doc): string | undefined {
  const was = before.layout.nodes[id];
  if (was === undefined || nodeIn(after.flow, id)) return undefined;
  const isNew = ([other, at]: [string, typeof was]): boolean =>
    !nodeIn(before.flow, other) && at.x === was.x && at.y === was.y;
  return Object.entries(after.layout.nodes).find(isNew)?.[0];
}
