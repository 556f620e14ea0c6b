import { handleOf } from '#shared/file.ts';
import { type Call, WeftError } from '../../base/operator.ts';

type Values = Readonly<Record<string, unknown>>;

/** The most bytes that a file may have as a value, since a statement is sent as a whole. */
const MAX_BYTES = 100_000_000;

/** Whether a value looks like a file. */
export function hasFile(values: Values): boolean {
  for (const name in values) if (handleOf(values[name]) !== undefined) return true;
  return false;
}

/** Values of a statement with the bytes of the files among them. An object that only looks like a file stays an object. */
export async function withFiles(call: Call<unknown>, values: Values): Promise<Values> {
  if (!hasFile(values)) return values;
  const files = call.service('files');
  const all: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const file = handleOf(value) === undefined ? undefined : await files.find(value, call.asker);
    if (file !== undefined && file.bytes > MAX_BYTES)
      throw new WeftError(
        'value_too_large',
        `The file :${name} has ${file.bytes} bytes, and a value of a statement at most ${MAX_BYTES}.`,
      );
    all[name] = file === undefined ? value : await bytesOf((await files.open(value, call.asker)).content);
  }
  call.signal.throwIfAborted();
  return all;
}

async function bytesOf(content: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of content) length += parts[parts.push(part) - 1]!.length;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
