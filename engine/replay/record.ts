import type { RunEvent } from '#shared/run-event.ts';
import { WeftError } from '../errors.ts';
import type { CancelReason, StartOptions } from '../run/types.ts';

/** All that a run got from outside, as JSON: enough to run it again without any of it. Secrets are in it by name only. */
export interface RunRecord {
  readonly format: 1;
  readonly flow: string;
  readonly version: string;
  readonly trigger: string;
  readonly start: Pick<StartOptions, 'id' | 'request' | 'output' | 'vars'> & { readonly timeoutMs?: number };
  /** Names of the services that the host offered. */
  readonly services: readonly string[];
  readonly times: number[];
  readonly randoms: number[];
  readonly ids: string[];
  /** What the run asked of the outside, in order; `of` of a delivery is a place in this list. */
  readonly asks: Ask[];
  /** What came back, and what the caller did, in the order in which the run learnt of it; each in a turn of its own. */
  readonly deliveries: Delivery[];
  readonly events: RunEvent[];
}

export interface Ask {
  /** For people, and to tell a run that goes another way. */
  readonly what: string;
  /** A timer or callback, a promise, a stream, or a value that was there at once. */
  gives: 'call' | 'later' | 'stream' | 'now';
  value?: unknown;
  error?: CodedError;
  /** What it called back before it returned. */
  calls?: Callback[];
}

export interface Callback {
  readonly name: string;
  readonly with: readonly unknown[];
}

export type Delivery =
  | { readonly of: number; readonly value?: unknown; readonly error?: CodedError }
  | { readonly of: number; readonly call: Callback }
  | { readonly caller: 'pull' | 'leave' }
  | { readonly cancel: CancelReason };

export interface CodedError {
  readonly code?: string;
  readonly name?: string;
  readonly message: string;
  readonly field?: string;
  readonly via?: string;
  readonly data?: unknown;
  readonly transient?: boolean;
}

/** Stands for a stream in what is written down. */
export class StreamMark {
  readonly $stream: number;

  /** `of`: the place of the stream's ask. */
  constructor(of: number) {
    this.$stream = of;
  }
}

/** A value as JSON: bytes and what JSON would lose are marked by a key that begins with `$`. */
export function encode(value: unknown): unknown {
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') return { $none: true };
  if (typeof value === 'bigint') return { $none: true };
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof StreamMark) return { $stream: value.$stream };
  if (value instanceof Uint8Array)
    return { $bytes: Array.from(value, (byte) => String.fromCharCode(byte)).join('') };
  if (Array.isArray(value)) return value.map(encode);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  const coded = Object.fromEntries(fields.map(([name, field]) => [name, encode(field)]));
  return fields.some(([name]) => name.startsWith('$')) ? { $object: coded } : coded;
}

/** `stream` makes a stream of the place of its ask. */
export function decode(coded: unknown, stream: (of: number) => unknown): unknown {
  if (typeof coded !== 'object' || coded === null) return coded;
  if (Array.isArray(coded)) return coded.map((item) => decode(item, stream));
  const marked = coded as Record<string, unknown>;
  if ('$none' in marked) return undefined;
  if ('$secret' in marked) return `«secret ${String(marked['$secret'])}»`;
  if ('$stream' in marked) return stream(marked['$stream'] as number);
  if ('$bytes' in marked) return Uint8Array.from(marked['$bytes'] as string, (char) => char.charCodeAt(0));
  const fields = Object.entries('$object' in marked ? (marked['$object'] as object) : marked);
  return Object.fromEntries(fields.map(([name, field]) => [name, decode(field, stream)]));
}

export function encodeError(error: unknown): CodedError {
  if (error instanceof WeftError) {
    const { code, message, field, via, data, transient } = error;
    const more = { ...(field !== undefined && { field }), ...(via !== undefined && { via }) };
    return { code, message, transient, ...more, ...(data !== undefined && { data: encode(data) }) };
  }
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { message: typeof error === 'string' ? error : `A value of type ${typeof error} was thrown.` };
}

export function decodeError({ code, name, message, field, via, data, transient }: CodedError): Error {
  if (code === undefined) return Object.assign(new Error(message), name === undefined ? {} : { name });
  const more = { field, ...(via !== undefined && { via }), ...(transient !== undefined && { transient }) };
  return new WeftError(code, message, { ...more, data: decode(data, () => undefined) });
}
