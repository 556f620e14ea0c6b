import { FileValue, handleOf } from '#shared/file.ts';

export type ShownFile = FileValue;

/** How many files of a value are listed. */
const MOST = 50;

/** How many values within a value are looked at, nearest to its top first. */
const MOST_VALUES = 50_000;

/** The files in a value, each once. */
export function filesIn(value: unknown): ShownFile[] {
  const files = new Map<string, ShownFile>();
  const found = [value];
  for (let at = 0; at < found.length && files.size < MOST; at++) {
    const next = found[at];
    if (typeof next !== 'object' || next === null) continue;
    const file = handleOf(next) === undefined ? undefined : FileValue.safeParse(next).data;
    if (file) files.set(file.$file, file);
    else addUpTo(MOST_VALUES, found, Array.isArray(next) ? next : Object.values(next));
  }
  return [...files.values()];
}

function addUpTo(most: number, found: unknown[], inner: readonly unknown[]): void {
  const room = most - found.length;
  for (let at = 0; at < inner.length && at < room; at++) found.push(inner[at]);
}

/** A field of a request that takes files. */
export interface FileField {
  /** Empty for a body that is one file. */
  readonly name: string;
  readonly many: boolean;
  readonly required: boolean;
}

/** The fields for files of a request model; undeclared, one field of any name. */
export function fileFields(schema: unknown, accept: readonly string[]): FileField[] {
  if (!accept.includes('multipart'))
    return accept.includes('bytes') ? [{ name: '', many: false, required: true }] : [];
  const { properties, required = [] } = (schema ?? {}) as {
    properties?: Record<string, unknown>;
    required?: readonly string[];
  };
  if (properties === undefined) return [{ name: 'file', many: true, required: false }];
  return Object.entries(properties).flatMap(([name, property]) => {
    const { items } = Object(property) as { items?: unknown };
    const many = isFile(items);
    return many || isFile(property) ? [{ name, many, required: required.includes(name) }] : [];
  });
}

function isFile(schema: unknown): boolean {
  return (Object(schema) as { format?: unknown }).format === 'file';
}
