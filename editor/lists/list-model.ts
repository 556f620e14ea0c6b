import type { ReactNode } from 'react';
import type { MenuEntry } from '../ui/menu-entry.ts';

/** A screen with a list, as data: `ListScreen` draws it. `T` is what a row stands for. */
export interface ListDefinition<T> {
  readonly title: string;
  /** One row, for counts and labels: `schedule`. */
  readonly noun: string;
  /** Several, where that is not the noun with an s. */
  readonly nouns?: string;
  /** The key of its query; a change reloads it. */
  readonly reads: string;
  /** A page of it; `next` of the page before asks for the one after. */
  load(next: string | undefined): Promise<ListPage<T>>;
  /** How often it is loaded again while somebody looks, in milliseconds. */
  readonly againMs?: number;
  idOf(item: T): string;
  /** The name of the row in labels. */
  nameOf(item: T): string;
  readonly columns: readonly ListColumn<T>[];
  /** The id of a flow whose name stands in a column: people search by both. */
  flowOf?(item: T): string | undefined;
  readonly filters?: readonly ListFilter<T>[];
  /** The actions on one row. */
  entries?(item: T, hands: Hands): MenuEntry[];
  /** The actions on several rows. */
  readonly bulk?: readonly BulkAct<T>[];
  /** Beside the list, for the row that was chosen. */
  details?(item: T): ReactNode;
}

/** A page of a list; without `next` it is the last one. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly next?: string | undefined;
}

/** A column of a list, on the screen and in the CSV. */
export interface ListColumn<T> {
  readonly name: string;
  /** Its width, and the width of the screen from which on it is shown. */
  readonly className?: string;
  /** In plain words: it is searched, and written into the CSV. */
  text(item: T): string;
  /** Where it is more than its text. */
  cell?(item: T): ReactNode;
}

/** A chip that narrows the list to rows of one value. */
export interface ListFilter<T> {
  readonly name: string;
  /** The value of a row, as it is shown. */
  of(item: T): string;
}

/** An action on the rows that somebody has selected. */
export interface BulkAct<T> {
  readonly label: string;
  readonly isDanger?: boolean;
  run(items: readonly T[], hands: Hands): void;
}

/** Changes from a row or from several; a failure is shown, and the list is loaded again. */
export interface Hands {
  act(work: () => Promise<unknown>, done?: string): void;
  /** Asks before what cannot be undone. */
  ask(question: Question): void;
}

/** A question before something that cannot be undone. */
export interface Question {
  readonly title: string;
  readonly description: string;
  /** The word on the button that does it. */
  readonly action: string;
  /** Facts to know before the answer. */
  readonly children?: ReactNode;
  /** Does it, after a yes. */
  work(): Promise<unknown>;
}

/** The value that is chosen for each filter, by the name of the filter; without one it lets all rows pass. */
export type Chosen = Readonly<Record<string, string>>;

/** The rows that have all words of `query` somewhere, and the values of the chips. */
export function fitting<T>(
  items: readonly T[],
  { columns, filters = [], flowOf }: Pick<ListDefinition<T>, 'columns' | 'filters' | 'flowOf'>,
  query: string,
  chosen: Chosen,
): readonly T[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter((item) => {
    const fits = filters.every(({ name, of }) => chosen[name] === undefined || chosen[name] === of(item));
    if (!fits || words.length === 0) return fits;
    const texts = [...columns.map((column) => column.text(item)), flowOf?.(item) ?? ''];
    const text = texts.join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The rows as CSV (RFC 4180). A text that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvOf<T>(items: readonly T[], columns: readonly ListColumn<T>[]): string {
  const field = (text: string): string => {
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = [
    columns.map(({ name }) => name),
    ...items.map((item) => columns.map(({ text }) => text(item))),
  ];
  return lines.map((line) => `${line.map(field).join(',')}\r\n`).join('');
}

/** From so many rows on a list has a field that searches it. */
const SEARCHED_FROM = 10;

/** Whether a list has such a field. One that something stands in stays while rows go: it says why others are not shown. */
export function isSearched(count: number, query: string): boolean {
  return count >= SEARCHED_FROM || query !== '';
}
