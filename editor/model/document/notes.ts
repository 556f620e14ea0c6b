import type { Draft } from 'immer';
import type { Layout } from '#shared/layout.ts';
import type { Doc, Point } from './document.ts';
import { snap } from './edit.ts';

/** Sticky notes: part of the layout file, never of a run. */
export type Note = NonNullable<Layout['notes']>[number];

export const NOTE_COLORS = ['yellow', 'blue', 'green', 'red', 'grey'] as const;
export type NoteColor = (typeof NOTE_COLORS)[number];

const WIDTH = 240;
const HEIGHT = 140;
/** How small a note can be made, in pixels of the flow. */
export const NOTE_MIN = { width: 120, height: 60 };

/** A note's id on the canvas; no node can have it. */
export function noteKey(id: string): string {
  return `note:${id}`;
}

/** The note's id for a canvas id; undefined for a node. */
export function noteOfKey(key: string): string | undefined {
  return key.startsWith('note:') ? key.slice('note:'.length) : undefined;
}

/** The size of a note in pixels of the flow; the usual one if nobody has resized it. */
export function noteBox(note: Note): { width: number; height: number } {
  return { width: note.width ?? WIDTH, height: note.height ?? HEIGHT };
}

/** Yellow if the note has no colour, or one that this version does not know. */
export function noteColor(note: Note): NoteColor {
  return NOTE_COLORS.find((color) => color === note.color) ?? 'yellow';
}

/** Adds a note with its top left corner at this point, on the grid. Returns its id. */
export function addNote(draft: Draft<Doc>, at: Point, text = ''): string {
  draft.layout.notes ??= [];
  const taken = new Set(draft.layout.notes.map((note) => note.id));
  let n = draft.layout.notes.length + 1;
  while (taken.has(`note_${n}`)) n++;
  draft.layout.notes.push({ id: `note_${n}`, text, ...snap(at) });
  return `note_${n}`;
}

export function changeNote(draft: Draft<Doc>, id: string, change: Partial<Omit<Note, 'id'>>): void {
  const note = draft.layout.notes?.find((n) => n.id === id);
  if (note) Object.assign(note, change);
}

export function removeNotes(draft: Draft<Doc>, ids: ReadonlySet<string>): void {
  if (!draft.layout.notes) return;
  draft.layout.notes = draft.layout.notes.filter((note) => !ids.has(note.id));
  if (draft.layout.notes.length === 0) delete draft.layout.notes;
}
