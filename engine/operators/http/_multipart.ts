import { toText, WeftError } from '../../operator.ts';
import { isRecord, reading } from '../_record.ts';

/** A field that is a file: `{name, type, bytes}` or `{name, type, text}`. */
interface FilePart {
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
}

/**
 * A body of parts: texts, bytes and files `{name, type, bytes | text}` by field; a list repeats its field.
 * @throws WeftError `bad_input`.
 */
export function multipartBody(fields: unknown, boundary: string): Uint8Array {
  if (!isRecord(fields))
    throw new WeftError('bad_input', 'The parts of a multipart body must be an object of fields.');
  const pieces: Uint8Array[] = [];
  reading(() => {
    for (const [field, value] of Object.entries(fields)) {
      for (const one of Array.isArray(value) ? value : [value]) pieces.push(...partOf(field, one, boundary));
    }
  });
  pieces.push(utf8(`--${boundary}--\r\n`));
  return joined(pieces);
}

function partOf(field: string, value: unknown, boundary: string): Uint8Array[] {
  if (value === null || value === undefined) return [];
  const file = fileOf(value);
  const disposition = `form-data; name="${quoted(field)}"${file ? `; filename="${quoted(file.name)}"` : ''}`;
  const type = file ? `Content-Type: ${file.type}\r\n` : '';
  const head = utf8(`--${boundary}\r\nContent-Disposition: ${disposition}\r\n${type}\r\n`);
  return [head, file ? file.content : utf8(toText(value)), utf8('\r\n')];
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:; ?[\w.+-]+=[\w.+-]+)*$/;

function fileOf(value: unknown): FilePart | undefined {
  if (value instanceof Uint8Array) return { name: 'file', type: 'application/octet-stream', content: value };
  if (!isRecord(value)) return undefined;
  const { name, type = 'application/octet-stream', bytes, text } = value;
  const content = bytes instanceof Uint8Array ? bytes : typeof text === 'string' ? utf8(text) : undefined;
  if (typeof name !== 'string' || content === undefined) return undefined;
  if (typeof type === 'string' && MEDIA_TYPE.test(type)) return { name, type, content };
  throw new WeftError(
    'bad_input',
    `The type of the file ${name.slice(0, 100)} is not a media type like image/png.`,
  );
}

/** Escaped as browsers do, so that no name can end its header. */
function quoted(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
