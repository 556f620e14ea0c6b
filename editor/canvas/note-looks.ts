import type { NoteColor } from '../model/document/notes.ts';

/** The colours of notes as tokens, so that they fit both themes. */
export const noteLooks: Readonly<Record<NoteColor, { readonly box: string; readonly dot: string }>> = {
  yellow: { box: 'bg-warn-soft border-warn/40', dot: 'bg-warn-soft border-warn' },
  blue: { box: 'bg-busy-soft border-busy/40', dot: 'bg-busy-soft border-busy' },
  green: { box: 'bg-ok-soft border-ok/40', dot: 'bg-ok-soft border-ok' },
  red: { box: 'bg-bad-soft border-bad/40', dot: 'bg-bad-soft border-bad' },
  grey: { box: 'bg-surface-3 border-line-strong/40', dot: 'bg-surface-3 border-line-strong' },
};
