import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { visit } from 'jsonc-parser';
import type { TriggerRequest } from '#engine';
import { overloaded, readBody } from '../../access/http/read-body.ts';
import type { Files } from '../../storage/file-store/files.ts';
import type { UploadRoom } from '../../storage/file-store/held-values.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { type JsonLimits, jsonMediaType, readJsonBody } from '../../access/http/read-json.ts';
import { queryOf } from './address.ts';
import { bodyLimitOf, type Endpoint, uploadLimits } from './endpoint.ts';
import type { Receiving } from './receive.ts';
import { Upload } from './upload.ts';
import { formFields, pairsToObject, parsePairs } from '../../base/requests/query-string.ts';
import type { Params } from '../../base/requests/request-model.ts';

/** The input of a run. */
export interface Input {
  /** The trigger node's output. */
  readonly value: unknown;
  /** The value of `trigger` in expressions. */
  readonly request: TriggerRequest;
  /** Handles of the files that came with it. */
  readonly files?: readonly string[];
}

const NOTHING: Readonly<Record<string, never>> = Object.freeze({});

/** GET and DELETE read the query, the others their body. */
export function readsBody(method: string | undefined): boolean {
  return method !== 'GET' && method !== 'DELETE';
}

/** From query and path params. */
export function readQuery(
  { model, credentialHeader }: Endpoint,
  params: Params,
  request: IncomingMessage,
): Input {
  const text = queryOf(request.url as string);
  const pairs = text === '' ? [] : parsePairs(text);
  const value = model ? model.fromPairs(pairs, params, 'query') : { ...pairsToObject(pairs), ...params };
  const { method } = request;
  const headers = without(shownHeaders(request), credentialHeader);
  return {
    value,
    request: { method: method as string, body: null, query: value, params, headers },
  };
}

/** The other methods read the body, in the formats that the trigger accepts. `body` is undefined if there was none. */
export function readBodyInput(
  endpoint: Endpoint,
  params: Params,
  request: IncomingMessage,
  body: TriggerBody | undefined,
): Input {
  const kind = bodyKind(endpoint.accept, request.headers['content-type']);
  if (body instanceof Upload) {
    const read = withBody(endpoint, params, request, uploadValue(endpoint, params, kind, body));
    return { ...read, files: body.handles };
  }
  const read = readers[kind as keyof typeof readers];
  return withBody(endpoint, params, request, read(endpoint, params, body ?? Buffer.alloc(0)));
}

/** The same for a body that is known to be JSON, and that the trigger accepts. */
export function readJsonInput(
  endpoint: Endpoint,
  params: Params,
  request: IncomingMessage,
  body: Buffer,
): Input {
  return withBody(endpoint, params, request, readers.json(endpoint, params, body));
}

function withBody(endpoint: Endpoint, params: Params, request: IncomingMessage, value: unknown): Input {
  const text = queryOf(request.url as string);
  const query = text === '' ? NOTHING : pairsToObject(parsePairs(text));
  const { method } = request;
  const headers = without(shownHeaders(request), endpoint.credentialHeader);
  return { value, request: { method: method as string, body: value, query, params, headers } };
}

/** A received body: its bytes, or the stored upload. */
export type TriggerBody = Buffer | Upload;

/** A form as an object of its fields, or a body that is a file. */
function uploadValue({ model }: Endpoint, params: Params, kind: BodyKind, upload: Upload): unknown {
  const files = upload.byField();
  if (kind === 'bytes') {
    const [file] = files.get('') ?? [];
    return model ? model.fromJson(file, params, 0) : file;
  }
  if (model) return model.fromPairs(upload.pairs, params, 'body', files);
  const own = [...files].map(([name, values]) => [name, values.length > 1 ? values : values[0]]);
  return { ...formFields(upload.pairs), ...Object.fromEntries(own) };
}

type BodyParser = (
  request: FastifyRequest,
  payload: unknown,
  done: (error: Error | null, body?: TriggerBody) => void,
) => void;

/**
 * Reads a body, up to the limits of its trigger, unless it was read before. Without `files` no file can be stored.
 */
export function triggerBodies(
  foundBy: (request: FastifyRequest) => { readonly endpoint: Endpoint; readonly read?: Buffer | undefined },
  files: Files | undefined,
): BodyParser {
  return (request, _payload, done) => {
    const { endpoint, read } = foundBy(request);
    if (read !== undefined) {
      done(null, read);
      return;
    }
    const most = bodyLimitOf(endpoint, request.server.initialConfig.bodyLimit);
    const kind = bodyKind(endpoint.accept, request.headers['content-type']);
    if (kind !== 'multipart' && kind !== 'bytes') readBody(request, most, done);
    else if (files === undefined) done(new ServiceError('unsupported_media_type', NO_FILES));
    else
      receiveFiles(request, kind, { files, limits: uploadLimits(endpoint, most) }).then(
        (upload) => done(null, upload),
        (error: Error) => done(error),
      );
  };
}

/** Deletes the files of a request that no run got, as soon as it is answered. Call it first in each handler. */
export function discardUnheld(
  files: Files | undefined,
  { body }: FastifyRequest,
  { raw }: FastifyReply,
): void {
  // Files that cannot be deleted now, such as while the server stops, are swept with those without a holder.
  if (body instanceof Upload)
    raw.once('close', () => {
      const discarded = files?.discard(body.handles).catch(() => {}) ?? Promise.resolve();
      void discarded.then(() => body.room?.release());
    });
}

const NO_FILES = 'Files cannot be uploaded here: start the whole server.';

/** The room of an upload in the memory for bodies, in bytes: its content is on its way to the disk. */
const UPLOAD_ROOM = 512 * 1024;

interface Terms extends Pick<Receiving, 'files' | 'limits' | 'fields'> {
  /** How much the sender may still upload; `discardUnheld` releases it. */
  room?(): Promise<UploadRoom>;
}

/** Stores the files of a body while it arrives. Rejects like `receive`, or with `overloaded`. */
export async function receiveFiles(
  request: FastifyRequest,
  kind: 'multipart' | 'bytes',
  { room, ...terms }: Terms,
): Promise<Upload> {
  const { receive } = await import('./receive.ts');
  const dropped = new AbortController();
  const { socket } = request.raw;
  const before = socket.bytesRead;
  const arrived = (): number => socket.bytesRead - before;
  const memory = request.server.bodyBudget?.open(() => dropped.abort(overloaded()), arrived);
  if (memory?.hold(UPLOAD_ROOM) === false) throw overloaded();
  try {
    const signal = dropped.signal;
    return await receive(request.raw, kind, { ...terms, room: await room?.(), signal });
  } finally {
    memory?.free();
  }
}

type BodyKind = 'json' | 'form' | 'text' | 'multipart' | 'bytes';

const KINDS = ['json', 'form', 'text', 'multipart', 'bytes'] as const;

const mediaTypes: Readonly<Record<BodyKind, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain',
  multipart: 'multipart/form-data',
  bytes: 'any other type',
};

/** The format of a body by its type; throws `unsupported_media_type` if the trigger does not accept it. */
export function bodyKind(accept: readonly string[], contentType: string | undefined): BodyKind {
  // Most bodies are of this type, and each is checked about three times.
  if (contentType === mediaTypes.json && accept.includes('json')) return 'json';
  const kinds = KINDS.filter((kind) => accept.includes(kind));
  const sent =
    contentType === undefined ? kinds.find((kind) => kind !== 'multipart') : kindOf(contentType.trim());
  if (sent !== undefined && kinds.includes(sent)) return sent;
  // A file may have any type, also one that would be read if the trigger did so.
  if (kinds.includes('bytes')) return 'bytes';
  const named = kinds.map((kind) => mediaTypes[kind]).join(' or ');
  throw new ServiceError(
    'unsupported_media_type',
    `This trigger reads ${named || 'no body'}; send it with that Content-Type.`,
  );
}

function kindOf(contentType: string): BodyKind | undefined {
  if (jsonMediaType.test(contentType)) return 'json';
  const media = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (media === mediaTypes.form) return 'form';
  if (media === mediaTypes.multipart) return 'multipart';
  return media === mediaTypes.text ? 'text' : undefined;
}

type Reader = (endpoint: Endpoint, params: Params, body: Buffer) => unknown;

const readers: Readonly<Record<Exclude<BodyKind, 'multipart' | 'bytes'>, Reader>> = {
  json({ model, jsonLimits }, params, body) {
    const value = body.length === 0 ? undefined : jsonValue(body, jsonLimits);
    return model ? model.fromJson(value, params, body.length) : value;
  },
  form({ model }, params, body) {
    const pairs = parsePairs(body.toString('utf8'));
    return model ? model.fromPairs(pairs, params, 'body') : formFields(pairs);
  },
  text({ model }, _params, body) {
    if (!isUtf8(body)) throw new ServiceError('invalid_encoding');
    const text = body.toString('utf8');
    return model ? model.fromText(text) : text;
  },
};

/** JSON that does not parse is reported like other problems of a request, with the place of the fault. */
function jsonValue(body: Buffer, limits: JsonLimits): unknown {
  try {
    return readJsonBody(body, limits);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_json') throw error;
    const problem = {
      type: 'json_invalid',
      loc: ['body', brokenAt(body)],
      msg: 'JSON decode error',
      input: {},
      ctx: { error: error.message },
    };
    throw new ServiceError('invalid_json', error.message, { detail: [problem] });
  }
}

/** The position of the fault, in characters; V8 reports it only sometimes. */
function brokenAt(body: Buffer): number {
  let first = 0;
  try {
    const onError = (_error: unknown, offset: number): never => {
      first = offset;
      throw new Error('the first one is enough');
    };
    visit(body.toString('utf8'), { onError }, { disallowComments: true });
  } catch {
    return first;
  }
  return first;
}

/** Hidden from flows: the proof of the caller's identity. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
  'x-weft-csrf',
  'x-hub-signature',
  'x-hub-signature-256',
  'x-signature',
  'x-signature-256',
  'stripe-signature',
  'x-slack-signature',
]);

const credentialLengths: ReadonlySet<number> = new Set([...CREDENTIALS].map((name) => name.length));

/** Node's own object if there is nothing to hide, which is the usual case; it belongs to this request alone. */
export function shownHeaders({ headers, rawHeaders }: IncomingMessage): IncomingHttpHeaders {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    // Looking up a name in `headers` costs more than reading the few entries.
    if (credentialLengths.has(name.length) && CREDENTIALS.has(name.toLowerCase()))
      return withoutCredentials(headers);
  }
  return headers;
}

/** A trigger may have a header of its own for signatures or a secret. */
function without(headers: IncomingHttpHeaders, name: string | undefined): IncomingHttpHeaders {
  if (name === undefined || !Object.hasOwn(headers, name)) return headers;
  const { [name]: _, ...others } = headers;
  return others;
}

function withoutCredentials(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.has(name)));
}
