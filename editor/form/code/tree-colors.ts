import { syntaxTree } from '@codemirror/language';
import type { Range } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

/** Colours the visible text by the names of the nodes of its syntax tree. */
export function treeColors(lookOf: (name: string) => Decoration | undefined) {
  function marksOf(view: EditorView): DecorationSet {
    const marks: Range<Decoration>[] = [];
    for (const { from, to } of view.visibleRanges) {
      syntaxTree(view.state).iterate({
        from,
        to,
        enter: (node) => {
          const look = lookOf(node.name);
          if (look && node.to > node.from) marks.push(look.range(node.from, node.to));
        },
      });
    }
    return Decoration.set(marks, true);
  }

  return ViewPlugin.fromClass(
    class {
      marks: DecorationSet;

      constructor(view: EditorView) {
        this.marks = marksOf(view);
      }

      update(update: ViewUpdate): void {
        const parsed = syntaxTree(update.startState) !== syntaxTree(update.state);
        if (update.docChanged || update.viewportChanged || parsed) this.marks = marksOf(update.view);
      }
    },
    { decorations: (plugin) => plugin.marks },
  );
}
