import { applyPatches, enablePatches, type Draft, type Patch, produceWithPatches } from 'immer';

enablePatches();

/**
 * Joins steps into one. A text: those in quick succession, such as typing into a field or nudging a node. A symbol: the parts of one
 * action, however long its later parts take to be known.
 */
export type MergeKey = string | symbol;

/** One step that can be undone, with its title in the history list. */
export interface HistoryEntry {
  readonly label: string;
  readonly patches: readonly Patch[];
  readonly inverse: readonly Patch[];
  readonly mergeKey: MergeKey | undefined;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Steps that can be undone, oldest first, and undone steps, the next to redo first. */
export interface History {
  readonly past: readonly HistoryEntry[];
  readonly future: readonly HistoryEntry[];
}

export const emptyHistory: History = { past: [], future: [] };

const MAX_ENTRIES = 200;
const MERGE_MS = 800;

/** Changes a draft of Immer in place. */
export type Recipe<T> = (draft: Draft<T>) => void;

/** Changes the value and remembers how to undo it. A change without effect is not remembered. */
export function commit<T>(
  value: T,
  history: History,
  step: { label: string; recipe: Recipe<T>; mergeKey?: MergeKey; at: number },
): { value: T; history: History } {
  const [next, patches, inverse] = produceWithPatches(value, (draft) => {
    step.recipe(draft);
  });
  if (patches.length === 0) return { value, history };
  const entry: HistoryEntry = { label: step.label, patches, inverse, mergeKey: step.mergeKey, at: step.at };
  return { value: next, history: { past: append(history.past, entry), future: [] } };
}

function append(past: readonly HistoryEntry[], entry: HistoryEntry): readonly HistoryEntry[] {
  const last = past.at(-1);
  if (
    last &&
    entry.mergeKey !== undefined &&
    last.mergeKey === entry.mergeKey &&
    (typeof entry.mergeKey === 'symbol' || entry.at - last.at < MERGE_MS)
  ) {
    const merged = {
      ...entry,
      patches: [...last.patches, ...entry.patches],
      inverse: [...entry.inverse, ...last.inverse],
    };
    return [...past.slice(0, -1), merged];
  }
  return [...past, entry].slice(-MAX_ENTRIES);
}

/** Takes the last step back; without one, nothing changes. */
export function undo<T extends object>(value: T, history: History): { value: T; history: History } {
  const entry = history.past.at(-1);
  if (!entry) return { value, history };
  return {
    value: applyPatches(value, entry.inverse as Patch[]),
    history: { past: history.past.slice(0, -1), future: [entry, ...history.future] },
  };
}

/** Repeats the step that was undone last; without one, nothing changes. */
export function redo<T extends object>(value: T, history: History): { value: T; history: History } {
  const [entry, ...future] = history.future;
  if (!entry) return { value, history };
  return {
    value: applyPatches(value, entry.patches as Patch[]),
    // Further typing is not merged into a redone step.
    history: { past: [...history.past, { ...entry, mergeKey: undefined }], future },
  };
}
