import { charsetOf } from '#shared/text-encoding.ts';
import { type HttpResponse, WeftError } from '../../base/operator.ts';
import { readJson } from '../_read-json.ts';
import type { Params } from './_params.ts';

/** How many bytes of a failed answer its error shows. */
const SHOWN_BYTES = 4096;
const SHOWN_CHARACTERS = 500;

/** Whether `failOn` lists the status. */
export function isFailure(status: number, failOn: readonly string[]): boolean {
  return failOn.includes(String(status)) || failOn.includes(`${String(status).charAt(0)}xx`);
}

/** Too early, too many requests, or a fault of the other side: another attempt may succeed. */
function isTransient(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** The error `http_status` for an answer, with the beginning of its body. `asked` is method and address, without the query. */
export async function statusError(answer: HttpResponse, asked: string): Promise<WeftError> {
  const bytes = await readBytes(answer.body, SHOWN_BYTES);
  const text = decoderFor(answer.headers, 'lenient').decode(bytes).slice(0, SHOWN_CHARACTERS).trim();
  const retryAfter = answer.headers['retry-after'];
  return new WeftError(
    'http_status',
    `${asked} was answered with ${answer.status}${text === '' ? '.' : `: ${text}`}`,
    {
      transient: isTransient(answer.status),
      data: { status: answer.status, body: text, ...(retryAfter !== undefined && { retryAfter }) },
    },
  );
}

type Tell = (message: string) => void;

/**
 * The whole body in the form that the node wants. Whole numbers in JSON that would lose digits become texts, with a warning:
 * the other side cannot be made to write them differently. Throws `bad_answer` and the errors of reading the answer.
 */
export async function readBody(
  answer: HttpResponse,
  response: Params['response'],
  tell: Tell,
): Promise<unknown> {
  const bytes = await readBytes(answer.body);
  if (response === 'auto') return readByType(bytes, answer.headers, tell);
  return readAs(response, bytes, answer.headers, tell);
}

function readByType(bytes: Uint8Array, headers: HttpResponse['headers'], tell: Tell): unknown {
  const kind = kindOf(headers);
  if (bytes.length === 0) return kind === 'text' ? '' : null;
  if (headers['content-type'] !== undefined) return readAs(kind, bytes, headers, tell);
  try {
    return decodeWhole(bytes, headers);
  } catch {
    return bytes;
  }
}

function readAs(kind: string, bytes: Uint8Array, headers: HttpResponse['headers'], tell: Tell): unknown {
  if (kind === 'bytes') return bytes;
  const text = decodeWhole(bytes, headers);
  return kind === 'json' ? parseAnswer(text, tell) : text;
}

/** The body as it arrives: pieces of text, or of bytes if it is not text. */
export async function* streamBody(answer: HttpResponse): AsyncGenerator<string | Uint8Array> {
  if (kindOf(answer.headers) === 'bytes') {
    yield* answer.body;
    return;
  }
  const decoder = decoderFor(answer.headers, 'lenient');
  for await (const chunk of answer.body) {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== '') yield text;
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}

const JSON_TYPE = /^application\/(?:[\w.!#$&^-]+\+)?json\b|^application\/x-ndjson\b/i;
const TEXT_TYPE =
  /^text\/|^application\/(?:xml|javascript|x-www-form-urlencoded|yaml|graphql|sql)\b|\+xml\b/i;

function kindOf(headers: HttpResponse['headers']): 'json' | 'text' | 'bytes' {
  const type = headers['content-type'] ?? '';
  if (/^application\/x-ndjson\b/i.test(type)) return 'text';
  if (JSON_TYPE.test(type)) return 'json';
  return TEXT_TYPE.test(type) ? 'text' : 'bytes';
}

/** Whether the body is neither JSON nor text by its type. */
export const isBytes = ({ headers }: HttpResponse): boolean =>
  headers['content-type'] !== undefined && kindOf(headers) === 'bytes';

function parseAnswer(text: string, tell: Tell): unknown {
  try {
    return readJson(text, (first) => tell(`The answer has ${first}; such numbers become texts.`));
  } catch (error) {
    const why = error instanceof WeftError ? error.message : 'it is not valid.';
    throw new WeftError('bad_answer', `The answer should be JSON by its type or by \`response\`: ${why}`);
  }
}

function decodeWhole(bytes: Uint8Array, headers: HttpResponse['headers']): string {
  try {
    return decoderFor(headers, 'strict').decode(bytes);
  } catch (error) {
    if (error instanceof WeftError) throw error;
    throw new WeftError('bad_answer', 'The answer is not text in its declared encoding; read it as bytes.');
  }
}

function decoderFor(headers: HttpResponse['headers'], mode: 'strict' | 'lenient'): TextDecoder {
  const charset = charsetOf(headers['content-type']) ?? 'utf-8';
  try {
    return new TextDecoder(charset, { fatal: mode === 'strict' });
  } catch {
    if (mode === 'lenient') return new TextDecoder();
    throw new WeftError('bad_answer', `The answer has the unknown encoding ${charset}; read it as bytes.`);
  }
}

/** The whole body, or only the first `limit` bytes. */
async function readBytes(
  body: AsyncIterable<Uint8Array>,
  limit = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= limit) break;
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
