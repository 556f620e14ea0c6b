import { WeftError } from '../base/errors.ts';
import { standIn } from './ask-content.ts';
import type { CodedError } from './record.ts';

/** Stands for a stream in a recording. */
export class StreamMark {
  readonly $stream: number;

  /** `of`: the index of the stream's ask. */
  constructor(of: number) {
    this.$stream = of;
  }
}

/** Called for a value that would not come back unchanged, before it is written; may throw. */
type Strange = (value: unknown) => void;

/**
 * A value as JSON: bytes and values that JSON would lose are marked by a key that starts with `$`. `strange` is called for
 * dates, maps, instances of classes, functions and everything else that a flow's values cannot be.
 */
export function encode(value: unknown, strange?: Strange): unknown {
  if (typeof value !== 'object' || value === null) return encodeScalar(value, strange);
  if (value instanceof StreamMark) return { $stream: value.$stream };
  if (value instanceof Uint8Array) return { $bytes: bytesText(value) };
  if (Array.isArray(value)) return encodeItems(value, strange);
  if (strange !== undefined && !isPlain(value)) strange(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  const coded = Object.fromEntries(fields.map(([name, field]) => [name, encode(field, strange)]));
  return fields.some(([name]) => name.startsWith('$')) ? { $object: coded } : coded;
}

/** Includes holes, which `map` leaves as they are. */
function encodeItems(items: readonly unknown[], strange: Strange | undefined): unknown[] {
  const coded: unknown[] = [];
  for (const item of items) coded.push(encode(item, strange));
  return coded;
}

function encodeScalar(value: unknown, strange?: Strange): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : { $number: String(value) };
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (value !== undefined) strange?.(value);
  return { $none: true };
}

/** Including bytes from another realm, such as the sandbox of a code node. */
function isPlain(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  return proto === Object.prototype || proto === null || Object.getPrototypeOf(proto) === null;
}

/** `stream` creates a stream from the index of its ask. */
export function decode(coded: unknown, stream: (of: number) => unknown): unknown {
  if (typeof coded !== 'object' || coded === null) return coded;
  if (Array.isArray(coded)) return coded.map((item) => decode(item, stream));
  const marked = coded as Record<string, unknown>;
  if ('$none' in marked) return undefined;
  if ('$number' in marked) return Number(marked['$number']);
  if ('$secret' in marked) return standIn(String(marked['$secret']));
  if ('$stream' in marked) return stream(marked['$stream'] as number);
  if ('$bytes' in marked) return Uint8Array.from(marked['$bytes'] as string, (char) => char.charCodeAt(0));
  const fields = Object.entries('$object' in marked ? (marked['$object'] as object) : marked);
  return Object.fromEntries(fields.map(([name, field]) => [name, decode(field, stream)]));
}

/** The number of arguments in one call is limited. */
const BYTES_AT_ONCE = 8192;

function bytesText(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE)
    text += String.fromCharCode(...bytes.subarray(at, at + BYTES_AT_ONCE));
  return text;
}

/** Anything thrown as JSON: a coded error with its data, any other error by name and message. */
export function encodeError(error: unknown): CodedError {
  if (error instanceof WeftError) {
    const { code, message, field, via, data, transient, isOfRun } = error;
    const more = {
      ...(field !== undefined && { field }),
      ...(via !== undefined && { via }),
      ...(isOfRun && { isOfRun }),
    };
    return { code, message, transient, ...more, ...(data !== undefined && { data: encode(data) }) };
  }
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { message: typeof error === 'string' ? error : `A value of type ${typeof error} was thrown.` };
}

/** The error again, as `encodeError` wrote it. */
export function decodeError({
  code,
  name,
  message,
  field,
  via,
  data,
  transient,
  isOfRun = false,
}: CodedError): Error {
  if (code === undefined) return Object.assign(new Error(message), name === undefined ? {} : { name });
  const more = {
    field,
    isOfRun,
    ...(via !== undefined && { via }),
    ...(transient !== undefined && { transient }),
  };
  return new WeftError(code, message, { ...more, data: decode(data, () => undefined) });
}

/** Approximate size of an encoded value as JSON, in characters. */
export function codedSize(coded: unknown): number {
  if (typeof coded === 'string') return coded.length + 2;
  if (typeof coded !== 'object' || coded === null) return 8;
  let size = 2;
  if (Array.isArray(coded)) for (const item of coded) size += codedSize(item) + 1;
  else for (const [name, field] of Object.entries(coded)) size += name.length + 4 + codedSize(field);
  return size;
}
