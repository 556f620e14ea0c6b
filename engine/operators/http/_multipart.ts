import type { FileValue } from '#shared/file.ts';
import { isRecord } from '#shared/json.ts';
import { toText, WeftError } from '../../base/operator.ts';
import type { HttpPiece } from '../../base/services.ts';
import { reading } from '../_record.ts';

/** A field that is a file: a file value, `{name, type, bytes}` or `{name, type, text}`. */
interface FilePart {
  readonly name: string;
  readonly type: string;
  readonly content: HttpPiece;
}

/** The files of the run, by the values in the body that are files. */
export type FilesIn = ReadonlyMap<unknown, FileValue>;

/**
 * A body of parts: texts, bytes and files by field; a list repeats its field. In one piece if no file value is in it.
 * @throws WeftError `bad_input`.
 */
export function multipartBody(fields: unknown, boundary: string, files: FilesIn): Uint8Array | HttpPiece[] {
  if (!isRecord(fields))
    throw new WeftError('bad_input', 'The parts of a multipart body must be an object of fields.');
  const pieces: HttpPiece[] = [];
  reading(() => {
    for (const [field, value] of Object.entries(fields)) {
      for (const one of Array.isArray(value) ? value : [value])
        pieces.push(...partOf(field, one, { boundary, files }));
    }
  });
  pieces.push(utf8(`--${boundary}--\r\n`));
  return files.size > 0 ? pieces : joined(pieces as Uint8Array[]);
}

function partOf(
  field: string,
  value: unknown,
  { boundary, files }: { readonly boundary: string; readonly files: FilesIn },
): HttpPiece[] {
  if (value === null || value === undefined) return [];
  const held = files.get(value);
  const file = held ? { ...held, content: held } : fileOf(value);
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
