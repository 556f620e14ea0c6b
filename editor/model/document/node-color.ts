import type { Draft } from 'immer';
import type { Doc } from './document.ts';
import { NOTE_COLORS, type NoteColor } from './notes.ts';

/** A colour that somebody has given to a node, part of the layout file; undefined for none. */
export function nodeColorOf({ layout }: Doc, id: string): NoteColor | undefined {
  const given = layout.nodes[id]?.color;
  return NOTE_COLORS.find((color) => color === given);
}

export function colorNodes(draft: Draft<Doc>, ids: readonly string[], color: NoteColor | undefined): void {
  for (const id of ids) {
    const place = draft.layout.nodes[id];
    if (!place) continue;
    if (color === undefined) delete place.color;
    else place.color = color;
  }
}
