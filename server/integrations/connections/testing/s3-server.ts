import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const ACCESS_KEY = 'AKIDEXAMPLE';
export const SECRET_KEY = 'wJalrXUtnFEMI-K7MDENG+bPxRfiCYEXAMPLEKEY';
export const REGION = 'eu-test-1';
export const BUCKET = 'weft-files';

interface Stored {
  readonly bytes: Buffer;
  readonly size: number;
  readonly type: string;
  readonly modified: string;
}

/** A request whose signature was checked. */
export interface Asked {
  readonly method: string;
  /** The key below the bucket. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface S3Server {
  readonly endpoint: string;
  readonly port: number;
  readonly objects: Map<string, Stored>;
  /** Uploads that are neither completed nor dropped. */
  readonly uploads: Map<string, Map<number, Stored>>;
  /** Methods and keys of requests in their order of arrival. */
  readonly asked: string[];
  /** Replaces the answer of the server if it returns true. */
  instead: (request: Asked, response: ServerResponse) => boolean;
  close(): Promise<void>;
}

/**
 * A small S3 over a real socket. It checks the signatures (AWS Signature 4) as the documentation describes them, and shares no
 * code with the client. With `keepsBytes: false` it counts the bytes of objects without keeping them.
 */
export async function startS3(
  options: { keepsBytes?: boolean; virtualHost?: boolean } = {},
): Promise<S3Server> {
  const { keepsBytes = true, virtualHost = false } = options;
  const objects = new Map<string, Stored>();
  const uploads = new Map<string, Map<number, Stored>>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const made: S3Server = {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    objects,
    uploads,
    asked,
    instead: () => false,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return made;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    const { method = '', url = '' } = request;
    const at = new URL(url, 'http://bucket');
    const [, first = '', ...rest] = at.pathname.split('/');
    const bucket = virtualHost ? (request.headers.host ?? '').split('.')[0] : first;
    const key = decodeURIComponent((virtualHost ? [first, ...rest] : rest).join('/'));
    const one = { method, key, query: at.searchParams, headers: request.headers, body };
    asked.push(`${method} ${key}${at.search}`);
    if (made.instead(one, response)) return;
    const fault = faultIn(request, body);
    if (fault) fail(response, 403, fault);
    else if (bucket !== BUCKET) fail(response, 404, 'NoSuchBucket');
    else serve(one, response);
  }

  function serve({ method, key, query, headers, body }: Asked, response: ServerResponse): void {
    const upload = query.get('uploadId');
    const isTaken = headers['if-none-match'] === '*' && objects.has(key);
    if (method === 'GET' && key === '') return send(response, 200, listed(objects, query));
    if (method === 'POST' && query.has('uploads')) {
      const id = `upload-${uploads.size + 1}-${Math.random().toString(36).slice(2)}`;
      uploads.set(id, new Map());
      const answer = `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`;
      return send(response, 200, answer);
    }
    if (upload !== null) return servePart({ method, key, query, headers, body }, upload, isTaken, response);
    if (method === 'PUT') {
      if (isTaken) return fail(response, 412, 'PreconditionFailed');
      objects.set(key, storedOf(body, headers['content-type']));
      response.setHeader('etag', tagOf(body));
      return send(response, 200, '');
    }
    const object = objects.get(key);
    if (method === 'DELETE') {
      objects.delete(key);
      return send(response, 204, '');
    }
    if (object === undefined) return fail(response, 404, 'NoSuchKey');
    response.setHeader('content-type', object.type);
    response.setHeader('content-length', String(object.size));
    response.writeHead(200).end(method === 'HEAD' ? undefined : object.bytes);
  }

  function servePart(
    { method, key, query, headers, body }: Asked,
    id: string,
    isTaken: boolean,
    response: ServerResponse,
  ): void {
    const parts = uploads.get(id);
    if (parts === undefined) return fail(response, 404, 'NoSuchUpload');
    if (method === 'PUT') {
      parts.set(Number(query.get('partNumber')), storedOf(body, undefined));
      response.setHeader('etag', tagOf(body));
      return send(response, 200, '');
    }
    if (method === 'DELETE') {
      uploads.delete(id);
      return send(response, 204, '');
    }
    if (isTaken) return fail(response, 412, 'PreconditionFailed');
    const all = [...parts].sort(([a], [b]) => a - b).map(([, part]) => part);
    if (all.slice(0, -1).some(({ size }) => size < 5 * 1024 ** 2))
      return fail(response, 400, 'EntityTooSmall');
    const tags = [...body.toString().matchAll(/<ETag>(.*?)<\/ETag>/g)].length;
    if (tags !== all.length) return fail(response, 400, 'InvalidPart');
    const size = all.reduce((sum, part) => sum + part.size, 0);
    const bytes = Buffer.concat(all.map((part) => part.bytes));
    objects.set(key, { ...storedOf(bytes, headers['content-type']), size });
    uploads.delete(id);
    return send(response, 200, '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
  }

  function storedOf(bytes: Buffer, type: string | undefined): Stored {
    const modified = new Date().toISOString();
    const kept = keepsBytes ? bytes : Buffer.alloc(0);
    return { bytes: kept, size: bytes.length, type: type ?? 'binary/octet-stream', modified };
  }
}

function tagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

export function fail(response: ServerResponse, status: number, code: string, more = ''): void {
  send(response, status, `<Error><Code>${code}</Code><Message>It is ${code}.</Message>${more}</Error>`);
}

function send(response: ServerResponse, status: number, xml: string): void {
  response.setHeader('content-type', 'application/xml');
  response.writeHead(status).end(xml === '' ? '' : `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`);
}

function listed(objects: ReadonlyMap<string, Stored>, query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter');
  const after = Buffer.from(query.get('continuation-token') ?? '', 'base64url').toString();
  const most = Number(query.get('max-keys') ?? 1000);
  const found = new Map<string, Stored | undefined>();
  for (const key of [...objects.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
    if (!key.startsWith(prefix)) continue;
    const end = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
    if (end === -1) found.set(key, objects.get(key));
    else found.set(key.slice(0, end + 1), undefined);
  }
  const rest = [...found].filter(([name]) => name > after);
  const page = rest.slice(0, most);
  const isCut = rest.length > most;
  const name = (text: string): string =>
    encodeURIComponent(text).replaceAll('%20', '+').replaceAll('%2F', '/');
  const entries = page.map(([key, object]) =>
    object
      ? `<Contents><Key>${name(key)}</Key><LastModified>${object.modified}</LastModified><Size>${object.size}</Size></Contents>`
      : `<CommonPrefixes><Prefix>${name(key)}</Prefix></CommonPrefixes>`,
  );
  const next = isCut
    ? `<NextContinuationToken>${Buffer.from(page.at(-1)?.[0] ?? '').toString('base64url')}</NextContinuationToken>`
    : '';
  return `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isCut}</IsTruncated>${next}${entries.join('')}</ListBucketResult>`;
}

/** The error code for a request with a wrong signature. */
function faultIn(request: IncomingMessage, body: Buffer): string | undefined {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    );
  if (given === null) return 'AccessDenied';
  const [, access, , , signed = '', signature] = given;
  if (access !== ACCESS_KEY) return 'InvalidAccessKeyId';
  if (request.headers['x-amz-content-sha256'] !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  for (const name of Object.keys(request.headers))
    if ((name === 'host' || name.startsWith('x-amz-')) && !signed.split(';').includes(name))
      return 'AccessDenied';
  return signatureOf(request, SECRET_KEY) === signature ? undefined : 'SignatureDoesNotMatch';
}

/** The correct signature of a request, in the steps of the documentation of AWS. */
export function signatureOf(
  { method = '', url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  secret: string,
): string {
  const [, day = '', region = '', signed = ''] =
    /Credential=[^/]+\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+)/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const [path = '', search = ''] = url.split('?');
  const query = search
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
    .sort();
  const lines = signed
    .split(';')
    .map((name) => `${name}:${String(headers[name]).trim().replaceAll(/ +/g, ' ')}\n`);
  const canonical = [
    method,
    path,
    query.join('&'),
    lines.join(''),
    signed,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const hmac = (key: string | Buffer, what: string): Buffer =>
    createHmac('sha256', key).update(what).digest();
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), 's3'), 'aws4_request');
  return hmac(key, text).toString('hex');
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
