import { isRecord } from '#shared/json.ts';

/** The params of a node of n8n, which note what was read, so that the rest can be reported. */
export interface Params {
  /** The value at a path: `options.timeout`, `headerParameters.parameters`. */
  get(path: string): unknown;
  text(path: string): string | undefined;
  flag(path: string): boolean;
  number(path: string): number | undefined;
  /** A list of objects at a path. */
  list(path: string): Readonly<Record<string, unknown>>[];
  /** Notes that a part is dealt with, without reading it. */
  skip(...paths: string[]): void;
  /** Values that were never read, or that are worked out where one that is fixed was asked for, by their path. */
  unread(): readonly { readonly path: string; readonly value: unknown }[];
}

export function paramsOf(parameters: Readonly<Record<string, unknown>>): Params {
  const read = new Set<string>();
  /** Numbers and truth values that an expression gives, as long as nothing reads it as one. */
  const workedOut = new Map<string, unknown>();
  const find = (path: string): unknown => {
    let value: unknown = parameters;
    for (const step of path.split('.')) {
      if (!isRecord(value) || !Object.hasOwn(value, step)) return undefined;
      value = value[step];
    }
    return unwrapped(value);
  };
  const get = (path: string): unknown => {
    read.add(path);
    workedOut.delete(path);
    return find(path);
  };
  /** A value that has to be fixed. */
  const fixed = (path: string): unknown => {
    const value = find(path);
    if (typeof value === 'string' && value.startsWith('=') && !read.has(path)) workedOut.set(path, value);
    read.add(path);
    return value;
  };
  return {
    get,
    text(path) {
      const value = get(path);
      return typeof value === 'string' && value !== '' ? value : undefined;
    },
    flag: (path) => fixed(path) === true,
    number(path) {
      const value = fixed(path);
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
    },
    list(path) {
      const value = get(path);
      return Array.isArray(value) ? value.filter(isRecord) : [];
    },
    skip: (...paths) => paths.forEach((path) => read.add(path)),
    unread: () => [
      ...unreadIn(parameters, '', new Set([...read, ...OF_THE_EDITOR])),
      ...[...workedOut].map(([path, value]) => ({ path, value })),
    ],
  };
}

/** Names that n8n's editor keeps for itself beside the params. */
const OF_THE_EDITOR = ['cid', 'creator', 'notice'];

/** A resource locator is its value: `{ "__rl": true, "mode": "id", "value": "…" }`. */
function unwrapped(value: unknown): unknown {
  return isRecord(value) && value['__rl'] === true ? value['value'] : value;
}

function* unreadIn(
  value: unknown,
  path: string,
  read: ReadonlySet<string>,
): Generator<{ path: string; value: unknown }> {
  if ((path !== '' && read.has(path)) || isNothing(value)) return;
  if (isRecord(value) && value['__rl'] !== true && path.split('.').length < 20)
    for (const [key, field] of Object.entries(value))
      yield* unreadIn(field, path === '' ? key : `${path}.${key}`, read);
  else yield { path, value };
}

/** Values that change nothing: what n8n's forms leave behind. */
function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

/** A value as a text: texts, numbers and truth values as they are, all else as JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
