import type { Run } from './context.ts';
import { mayBeInherited, readOwn } from './read.ts';

/** What a read gives where the field is missing, if it does not throw. */
export type Miss = (value: unknown) => unknown;

export interface Field {
  readonly name: string;
  readonly miss: Miss;
}

/**
 * Reads fields one behind the other: the hot path of the language. `cheap` says that the base can be read twice. Then two
 * or three fields are first read in one go, which nearly always finds them; otherwise the careful way starts over.
 */
export function readFields<S>(base: Run<S>, fields: readonly Field[], cheap: boolean): Run<S> {
  const careful = fields.reduce((run, field) => readField(run, field), base);
  const [one, two, three] = fields;
  if (!cheap || !one || !two || fields.length > 3) return careful;
  if (fields.some(({ name }) => mayBeInherited(name))) return careful;
  return three
    ? readThree(base, [one.name, two.name, three.name], careful)
    : readTwo(base, [one.name, two.name], careful);
}

type Bag = Readonly<Record<string, unknown>>;

/** Reads one field of the value that is handed in. */
export function fieldReader(field: Field): (value: unknown) => unknown {
  const { name } = field;
  if (mayBeInherited(name)) return (value) => readOrMiss(value, field);
  return (value) => {
    if (typeof value === 'object' && value !== null) {
      const found = (value as Bag)[name];
      if (found !== undefined && typeof found !== 'function') return found;
    }
    return readOrMiss(value, field);
  };
}

/** What is undefined counts as missing, whether or not the key is there: JSON makes no difference either. */
function readOrMiss(value: unknown, { name, miss }: Field): unknown {
  const found = readOwn(value, name);
  return found === undefined ? miss(value) : found;
}

function readField<S>(run: Run<S>, field: Field): Run<S> {
  const read = fieldReader(field);
  return (scope) => read(run(scope));
}

function readTwo<S>(base: Run<S>, [one, two]: readonly [string, string], careful: Run<S>): Run<S> {
  return (scope) => {
    const found = pick(pick(base(scope), one), two);
    return found !== undefined && typeof found !== 'function' ? found : careful(scope);
  };
}

function readThree<S>(base: Run<S>, names: readonly [string, string, string], careful: Run<S>): Run<S> {
  const [one, two, three] = names;
  return (scope) => {
    const found = pick(pick(pick(base(scope), one), two), three);
    return found !== undefined && typeof found !== 'function' ? found : careful(scope);
  };
}

/** A plain read, which never enters a function. */
function pick(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Bag)[name] : undefined;
}
