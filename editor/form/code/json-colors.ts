import { syntaxTree } from '@codemirror/language';
import type { Range } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

const mark = (name: string) => Decoration.mark({ class: name });
const LOOKS: Readonly<Record<string, Decoration>> = {
  PropertyName: mark('cm-json-name'),
  String: mark('cm-hole-text'),
  Number: mark('cm-hole-number'),
  True: mark('cm-hole-call'),
  False: mark('cm-hole-call'),
  Null: mark('cm-hole-call'),
};

/** Colours JSON, what is in view of it. */
export const jsonColors = ViewPlugin.fromClass(
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

function marksOf(view: EditorView): DecorationSet {
  const marks: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: (node) => {
        const look = LOOKS[node.name];
        if (look && node.to > node.from) marks.push(look.range(node.from, node.to));
      },
    });
  }
  return Decoration.set(marks, true);
}
