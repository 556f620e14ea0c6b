import { FileValue, handleOf } from '#shared/file.ts';

export type ShownFile = FileValue;

/** How many files of a value are listed. */
const MOST = 50;

/** The files in a value, each once. */
export function filesIn(value: unknown): ShownFile[] {
  const files = new Map<string, ShownFile>();
  const open = [value];
  for (let next = open.shift(); open.length > 0 || next !== undefined; next = open.shift()) {
    if (typeof next !== 'object' || next === null || files.size >= MOST || open.length > 10_000) continue;
    const handle = handleOf(next);
    const file = handle === undefined ? undefined : FileValue.safeParse(next).data;
    if (file) files.set(file.$file, file);
    else open.push(...(Object.values(next) as unknown[]));
  }
  return [...files.values()];
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
