import { createStore } from 'zustand/vanilla';

/**
 * Names of the records that the server sent and this editor could not read, by the path of their answer. Lists lack these
 * records, so the screen must say so.
 */
export const unread = createStore<Readonly<Record<string, readonly string[]>>>()(() => ({}));

let missed: string[] = [];

/** Reports a record that is left out of the answer being read. */
export function miss(record: unknown): void {
  missed.push(nameOf(record));
}

/** Parses an answer and notes its unreadable records; those of the previous answer are forgotten. */
export function readNoting<T>(path: string, read: () => T): T {
  missed = [];
  const value = read();
  const place = path.split('?', 1)[0] as string;
  const { [place]: before, ...others } = unread.getState();
  if (missed.length > 0) unread.setState({ ...others, [place]: missed }, true);
  else if (before) unread.setState(others, true);
  return value;
}

const NAMES = ['name', 'title', 'id', 'run', 'code', 'type', 'version', 'kind'] as const;

function nameOf(record: unknown): string {
  const fields = (typeof record === 'object' && record !== null ? record : {}) as Record<string, unknown>;
  const name = NAMES.map((field) => fields[field]).find((value) => typeof value === 'string');
  return typeof name === 'string' ? name : 'one without a name';
}
