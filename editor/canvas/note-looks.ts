import type { NoteColor } from '../model/document/notes.ts';

/** The colours of notes as tokens, so that they fit both themes. */
export const noteLooks: Readonly<Record<NoteColor, string>> = {
  yellow: 'bg-warn-soft border-warn/40',
  blue: 'bg-busy-soft border-busy/40',
  green: 'bg-ok-soft border-ok/40',
  red: 'bg-bad-soft border-bad/40',
  grey: 'bg-surface-3 border-line-strong/40',
};
