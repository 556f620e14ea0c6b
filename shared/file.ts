import { z } from 'zod';

/**
 * A file as a value between nodes: a reference to bytes that the server stores. Only the server makes such values. The
 * handle is random and opens the file only for runs and callers that were given it; anywhere else the value is a plain object.
 */
export const FileValue = z
  .object({
    $file: z.string().describe('Its handle.'),
    name: z.string().describe('Its name, without folders.'),
    type: z.string().describe('Its media type, such as `image/png`.'),
    bytes: z.int().min(0).describe('Its size in bytes.'),
  })
  .meta({ format: 'file' });
export type FileValue = Readonly<z.infer<typeof FileValue>>;

/** The `format` by which a JSON Schema describes a file: `{ "type": "object", "format": "file" }`. */
export const FILE_FORMAT = 'file';

/** Handles have this form; what has another one is no handle. */
export const HANDLE: RegExp = /^f_[A-Za-z0-9_-]{32}$/;

/** The handle of a value that looks like a file. Whether it is one is for the server to say. */
export function handleOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '$file')) return undefined;
  const handle = (value as { readonly $file: unknown }).$file;
  return typeof handle === 'string' && HANDLE.test(handle) ? handle : undefined;
}
