import { type FileValue, handleOf } from '#shared/file.ts';
import { isRecord } from '#shared/json.ts';
import { type Call, type HttpRequest, toText, WeftError } from '../../base/operator.ts';
import { reading } from '../_record.ts';
import { writeJson } from '../_write-json.ts';
import { type FilesIn, multipartBody } from './_multipart.ts';
import type { Params } from './_params.ts';
import { formText } from './_url.ts';

/** A body with its content type. */
export interface Body {
  readonly content: HttpRequest['body'];
  readonly type: string | undefined;
}

/** Encodes the body. `random` gives numbers in [0, 1). Throws `bad_input` and the errors of `writeJson`. */
export function bodyOf(
  { bodyType, body }: Pick<Params, 'bodyType' | 'body'>,
  random: () => number,
  files: FilesIn,
): Body {
  switch (bodyType) {
    case 'none':
      return { content: undefined, type: undefined };
    case 'json':
      return { content: writeJson(body ?? null), type: 'application/json' };
    case 'form':
      return { content: formText(body ?? {}), type: 'application/x-www-form-urlencoded' };
    case 'multipart': {
      const boundary = `weft-${digits(random)}${digits(random)}`;
      return {
        content: multipartBody(body ?? {}, boundary, files),
        type: `multipart/form-data; boundary=${boundary}`,
      };
    }
    case 'text':
      return { content: reading(() => toText(body ?? '')), type: 'text/plain; charset=utf-8' };
    case 'bytes': {
      const file = files.get(body);
      if (file) return { content: [file], type: file.type };
      return { content: bytesOf(body), type: 'application/octet-stream' };
    }
  }
}

/** Finds the files in a body: it may be one, or a form whose fields or their lists are some. */
export async function filesIn(
  call: Pick<Call, 'service' | 'asker'>,
  { bodyType, body }: Pick<Params, 'bodyType' | 'body'>,
): Promise<FilesIn> {
  const files = new Map<unknown, FileValue>();
  const values =
    bodyType === 'bytes' ? [body] : bodyType === 'multipart' && isRecord(body) ? fieldsOf(body) : [];
  for (const value of values) {
    if (handleOf(value) === undefined) continue;
    const file = await call.service('files').find(value, call.asker);
    if (file) files.set(value, file);
  }
  return files;
}

function fieldsOf(body: Readonly<Record<string, unknown>>): unknown[] {
  return reading(() => Object.values(body).flat());
}

function digits(random: () => number): string {
  return Math.floor(random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0');
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (typeof body === 'string') return new TextEncoder().encode(body);
  throw new WeftError('bad_input', 'The body must be bytes or a text to be sent as bytes.');
}
