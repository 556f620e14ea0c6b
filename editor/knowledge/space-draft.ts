import type { KnowledgeSpace, SpaceBody } from '#shared/knowledge.ts';
import type { SplitSettings } from '#shared/split-document.ts';

/** The settings of a space as they are typed. */
export interface SpaceDraft {
  readonly name: string;
  readonly description: string;
  /** The embedding model; empty for none. */
  readonly model: string;
  readonly by: SplitSettings['by'];
  readonly size: string;
  readonly overlap: string;
  readonly separator: string;
}

/** The split of the server for a space without settings of its own. */
const SPLIT: SplitSettings = { by: 'headings', size: 1000, overlap: 150, separator: '\n' };

/** `model`: the default embedding model, for a new space. */
export function draftOf(space: KnowledgeSpace | undefined, model: string): SpaceDraft {
  const { by, size, overlap, separator } = space?.split ?? SPLIT;
  return {
    name: space?.name ?? '',
    description: space?.description ?? '',
    model: space ? (space.model ?? '') : model,
    by,
    size: String(size),
    overlap: String(overlap),
    separator: escaped(separator),
  };
}

export function bodyOf({ name, description, model, by, size, overlap, separator }: SpaceDraft): SpaceBody {
  return {
    name: name.trim(),
    description: description.trim(),
    model: model === '' ? null : model,
    split: { by, size: Number(size), overlap: Number(overlap), separator: unescaped(separator) },
  };
}

/** The fault of each field that has one. */
export function faultsOf({ by, size, overlap, separator }: SpaceDraft): {
  readonly size?: string;
  readonly overlap?: string;
  readonly separator?: string;
} {
  const isSize = isWhole(size, 20, 20_000);
  const most = isSize ? Math.floor(Number(size) / 2) : 10_000;
  return {
    ...(!isSize && { size: 'A whole number from 20 to 20,000.' }),
    ...(!isWhole(overlap, 0, Math.min(10_000, most)) && {
      overlap: `A whole number from 0 to ${most.toLocaleString('en')}, half the size of a chunk.`,
    }),
    ...(by === 'separator' && separator === '' && { separator: 'Type at least one character.' }),
  };
}

/** Whether documents that are loaded now would be split in another way than those before. */
export function splitsAnew(space: KnowledgeSpace, { split }: SpaceBody): boolean {
  const { by, size, overlap, separator } = space.split;
  return (
    JSON.stringify([by, size, overlap, separator]) !==
    JSON.stringify(split && [split.by, split.size, split.overlap, split.separator])
  );
}

function isWhole(text: string, least: number, most: number): boolean {
  return /^\d{1,6}$/.test(text.trim()) && Number(text) >= least && Number(text) <= most;
}

/** A line break and a tab cannot be typed into a field of one line. */
function escaped(separator: string): string {
  return separator.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([\\nt])/g, (_, char: string) =>
    char === 'n' ? '\n' : char === 't' ? '\t' : '\\',
  );
}
