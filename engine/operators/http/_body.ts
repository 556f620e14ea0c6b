import { toText, WeftError } from '../../operator.ts';
import { reading } from '../_record.ts';
import { writeJson } from '../_write-json.ts';
import { multipartBody } from './_multipart.ts';
import type { Params } from './_params.ts';
import { formText } from './_url.ts';

/** A body with its content type. */
export interface Body {
  readonly content: string | Uint8Array | undefined;
  readonly type: string | undefined;
}

/** Encodes the body. `random` gives numbers in [0, 1). Throws `bad_input` and the errors of `writeJson`. */
export function bodyOf({ bodyType, body }: Pick<Params, 'bodyType' | 'body'>, random: () => number): Body {
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
        content: multipartBody(body ?? {}, boundary),
        type: `multipart/form-data; boundary=${boundary}`,
      };
    }
    case 'text':
      return { content: reading(() => toText(body ?? '')), type: 'text/plain; charset=utf-8' };
    case 'bytes':
      return { content: bytesOf(body), type: 'application/octet-stream' };
  }
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
