import type { Draft } from 'immer';
import { filesIn, type ShownFile } from '../form/files-in.ts';
import { recordOf } from '../form/schema-shapes.ts';
import { type Table, tableOf } from '../form/table.ts';
import type { Doc } from './document.ts';

/** How the last output of a watched node is shown below it; `auto`: as fits the value best. */
export const WATCH_VIEWS = ['auto', 'text', 'table', 'chart', 'picture'] as const;
export type WatchView = (typeof WATCH_VIEWS)[number];

/** Part of the layout file; undefined for a node that is not watched. */
export function watchOf({ layout }: Doc, id: string): WatchView | undefined {
  const given = layout.nodes[id]?.watch;
  return given === undefined ? undefined : (WATCH_VIEWS.find((view) => view === given) ?? 'auto');
}

/** Shows the last output of these nodes below them; with `undefined` no longer. */
export function watchNodes(draft: Draft<Doc>, ids: Iterable<string>, view: WatchView | undefined): void {
  for (const id of ids) {
    const place = draft.layout.nodes[id];
    if (!place) continue;
    if (view === undefined) delete place.watch;
    else place.watch = view;
  }
}

/** A value in the ways in which it can be shown. */
export interface Watched {
  readonly table: Table | undefined;
  /** The numbers of a list, or of the first column of a table that has some. */
  readonly numbers: Numbers | undefined;
  readonly pictures: readonly ShownFile[];
  /** The best way first; a text is always one. */
  readonly views: readonly Exclude<WatchView, 'auto'>[];
}

/** Numbers to draw as a chart, at most 200. */
export interface Numbers {
  /** The column; empty for a list of numbers. */
  readonly name: string;
  readonly values: readonly number[];
}

/** Pictures that every browser shows. */
const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif)$/;
const MOST_NUMBERS = 200;

/** Finds out how a value can be shown. */
export function watched(value: unknown): Watched {
  const table = tableOf(value);
  const numbers = numbersOf(value, table);
  const pictures = filesIn(value).filter(({ type }) => PICTURE.test(type));
  return {
    table,
    numbers,
    pictures,
    views: [
      ...(pictures.length > 0 ? (['picture'] as const) : []),
      ...(table ? (['table'] as const) : []),
      ...(numbers ? (['chart'] as const) : []),
      'text',
    ],
  };
}

function numbersOf(value: unknown, table: Table | undefined): Numbers | undefined {
  if (!Array.isArray(value) || value.length < 2) return undefined;
  const some = value.slice(0, MOST_NUMBERS) as unknown[];
  if (some.every((one) => typeof one === 'number')) return { name: '', values: some };
  const name = table?.columns.find((column) =>
    some.every((row) => typeof recordOf(row)?.[column] === 'number'),
  );
  if (name === undefined) return undefined;
  return { name, values: some.map((row) => recordOf(row)?.[name] as number) };
}
