import type { Range } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { holesIn } from '../../model/expression/template-holes.ts';

/** Colours the expressions in a text. */
export const highlightHoles = ViewPlugin.fromClass(
  class {
    marks: DecorationSet;

    constructor(view: EditorView) {
      this.marks = marksOf(view.state.doc.toString());
    }

    update(update: ViewUpdate): void {
      if (update.docChanged) this.marks = marksOf(update.state.doc.toString());
    }
  },
  { decorations: (plugin) => plugin.marks },
);

const mark = (name: string) => Decoration.mark({ class: name });
const looks = {
  hole: mark('cm-hole'),
  brace: mark('cm-hole-brace'),
  name: mark('cm-hole-name'),
  call: mark('cm-hole-call'),
  text: mark('cm-hole-text'),
  number: mark('cm-hole-number'),
};

/** Longer texts are only read, not written, so they are not coloured. */
const LONGEST = 50_000;

function marksOf(text: string): DecorationSet {
  if (text.length > LONGEST || !text.includes('{{')) return Decoration.none;
  const marks: Range<Decoration>[] = [];
  for (const hole of holesIn(text)) {
    marks.push(looks.hole.range(hole.from, hole.to));
    for (const token of hole.tokens) marks.push(looks[token.kind].range(token.from, token.to));
  }
  return Decoration.set(marks, true);
}
