import { sameJson } from '#engine/edit';
import type { Layout } from '#shared/layout.ts';

/**
 * Merges two layouts of the same flow: the position of each node and note, and each other part, is mine if I have changed it
 * since `base`, otherwise theirs.
 */
export function mergeLayout(base: Layout, mine: Layout, theirs: Layout): Layout {
  const nodes = merged(base.nodes, mine.nodes, theirs.nodes);
  const notes = Object.values(merged(byId(base), byId(mine), byId(theirs)));
  const { notes: _notes, ...rest } = { ...theirs, ...merged<unknown>(base, mine, theirs) };
  return { ...rest, format: 1, nodes, ...(notes.length > 0 && { notes }) };
}

type ById<T> = Readonly<Record<string, T>>;

function merged<T>(base: ById<T>, mine: ById<T>, theirs: ById<T>): Record<string, T> {
  const keys = new Set([...Object.keys(theirs), ...Object.keys(mine)]);
  const entries = [...keys].flatMap((key) => {
    const value = sameJson(base[key], mine[key]) ? theirs[key] : mine[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(entries);
}

function byId({ notes = [] }: Layout): Record<string, NonNullable<Layout['notes']>[number]> {
  return Object.fromEntries(notes.map((note) => [note.id, note]));
}
