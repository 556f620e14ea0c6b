import { hash } from 'node:crypto';
import { decode, encode, WeftError } from '#engine';
import type { BlobStore } from '../history/blobs/blob-store.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { Resealer, Sealer } from '../../base/secrets/seal.ts';

/**
 * Values of a durable run as texts for its engine; they can be read back unchanged.
 * DV1. A text that contains a secret is sealed: it is nowhere on the disk in clear text. In a run with hidden fields
 *      all texts are sealed.
 * DV2. A long text is stored beside the engine, under its hash, so that the engine's texts stay short. An engine whose
 *      storage is not on this machine gets the whole text.
 */
export interface Values {
  /** Throws `durable_not_serialisable`, `durable_result_too_large` (they name `what` it is), and errors of the disk. */
  write(value: unknown, what?: string): string;
  read(text: string): unknown;
  /** Deletes the data of such a text that is stored beside the engine. */
  drop(text: string): void;
  /** Seals everything that is written from now on. */
  sealAll(): void;
}

interface ValuesDeps {
  readonly redactor: Pick<Redactor, 'active' | 'text'>;
  readonly sealer: Sealer;
  /** Undefined if nothing is stored beside the engine. */
  readonly blobs: Pick<BlobStore, 'put' | 'get' | 'remove'> | undefined;
}

/** The longest value, and the longest text that is passed to the engine, in characters. */
const MAX_VALUE = 10_000_000;
const MAX_INLINE = 64 * 1024;
/** The context that sealed texts are bound to, so that they cannot be opened as anything else. */
const ABOUT = 'durable';
/** Only texts with this mark can be sealed. */
export const SEALED_MARK = '"sealed"';

type Kept = { readonly v: unknown } | { readonly sealed: string } | { readonly blob: string };

/** The values of one run; see `Values`. */
export function createValues({ redactor, sealer, blobs }: ValuesDeps): Values {
  let sealsAll = false;
  const protect = (text: string): string =>
    sealsAll || (redactor.active && redactor.text(text) !== text)
      ? JSON.stringify({ sealed: sealer.seal(text, ABOUT) })
      : text;

  function shorten(text: string): string {
    if (blobs === undefined || text.length <= MAX_INLINE) return text;
    const blob = { hash: hash('sha256', text, 'hex'), json: text };
    blobs.put(blob);
    return JSON.stringify({ blob: blob.hash });
  }

  function read(text: string): unknown {
    const kept = JSON.parse(text) as Kept;
    if ('v' in kept) return decode(kept.v, () => undefined);
    if ('sealed' in kept) return read(sealer.unseal(kept.sealed, ABOUT));
    const whole = blobs?.get(kept.blob);
    if (whole !== undefined) return read(whole);
    throw new WeftError(
      'storage_failed',
      `A large value of a durable run is missing or damaged (${kept.blob}).`,
    );
  }

  return {
    write: (value, what) => shorten(protect(textOf(value, what))),
    read,
    drop(text) {
      const kept = JSON.parse(text) as Kept;
      if ('blob' in kept) blobs?.remove(kept.blob);
    },
    sealAll() {
      sealsAll = true;
    },
  };
}

/** A text that `write` has made, sealed again if it was sealed with a former key. Throws if no key opens it. */
export function resealValue(text: string, { reseal }: Resealer): string {
  const kept = JSON.parse(text) as Kept;
  if (!('sealed' in kept)) return text;
  const sealed = reseal(kept.sealed, ABOUT);
  return sealed === undefined ? text : JSON.stringify({ sealed });
}

function textOf(value: unknown, what = 'A value'): string {
  let text: string;
  let strange: unknown;
  const refuse = (found: unknown): never => {
    strange = found;
    throw new Error('It would be read back as something else.');
  };
  try {
    text = JSON.stringify({ v: encode(value, refuse) });
  } catch {
    throw notSerialisable(what, describeStrange(value, strange));
  }
  if (text.length <= MAX_VALUE) return text;
  const message = `${what} of a durable run takes ${text.length} characters of JSON; at most ${MAX_VALUE} can be recorded.`;
  throw new WeftError('durable_result_too_large', message);
}

function notSerialisable(what: string, strange: string): WeftError {
  const why = `${what} of a durable run holds ${strange}, which JSON cannot represent.`;
  return new WeftError('durable_not_serialisable', `${why} Turn it into text, a number or a plain object.`);
}

/**
 * Describes a value that cannot be recorded, and its place: `a Date at value.items[0].at`. `strange` is undefined if
 * the value is endless.
 */
function describeStrange(value: unknown, strange: unknown): string {
  if (strange === undefined) return 'an object within itself, or too many levels';
  return `${kindOf(strange)} at ${pathTo(value, strange, '') ?? 'its top'}`;
}

function kindOf(strange: unknown): string {
  if (typeof strange !== 'object' || strange === null) return `a ${typeof strange}`;
  const { name } = (strange as { constructor?: { name?: unknown } }).constructor ?? {};
  return typeof name === 'string' && name !== '' ? `a ${name}` : 'an object that is not a plain one';
}

/** The path to the first occurrence, in search order. */
function pathTo(value: unknown, strange: unknown, path: string): string | undefined {
  if (value === strange) return path === '' ? undefined : path;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return undefined;
  for (const [name, field] of Object.entries(value)) {
    const found = pathTo(field, strange, joined(path, name, Array.isArray(value)));
    if (found !== undefined) return found;
  }
  return undefined;
}

function joined(path: string, name: string, isItem: boolean): string {
  if (isItem) return `${path}[${name}]`;
  if (!/^\w+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
