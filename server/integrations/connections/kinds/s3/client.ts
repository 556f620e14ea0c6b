import { text as wholeText } from 'node:stream/consumers';
import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { type HttpResponse, WeftError } from '#engine';
import type { ConnectionHttp } from '../../kind.ts';
import { addressOf, type S3Settings } from './settings.ts';
import { failureOf } from './failures.ts';

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** The path below the bucket; empty: the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  /** With names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** How long a whole download may take, in milliseconds; within it, each chunk has the time limit of the settings. */
const DOWNLOAD_MS = 24 * 3_600_000;
/** The most bytes of answers other than downloads; a list of 1000 keys has at most a few megabytes. */
const ANSWER_BYTES = 16 * 1024 ** 2;

/**
 * Sends signed requests (AWS Signature 4) for one bucket.
 * S3C1. Redirects are not followed: the error names their target, and nothing is sent there.
 * S3C2. The secret key is never sent; bodies are signed too, so that no intermediary can change them.
 * S3C3. All errors are coded.
 */
export class S3Client {
  readonly settings: S3Settings;
  private readonly http: ConnectionHttp;
  private readonly base: URL;
  /** Signing keys, by day. */
  private readonly cache = new Map<string, ArrayBuffer>();

  constructor(settings: S3Settings, http: ConnectionHttp) {
    this.settings = settings;
    this.http = http;
    this.base = addressOf(settings);
  }

  get host(): string {
    return this.base.host;
  }

  /** The text of the answer. `path`: the requested path, for messages. Throws for statuses from 300 on. */
  async text(request: S3Request, path: string, signal: AbortSignal): Promise<string> {
    return (await this.answer(request, path, signal)).text;
  }

  async answer(
    request: S3Request,
    path: string,
    signal: AbortSignal,
  ): Promise<{ readonly headers: HttpResponse['headers']; readonly text: string }> {
    const { timeoutMs } = this.settings;
    try {
      const answer = await this.send(request, { timeoutMs, maxBytes: ANSWER_BYTES }, signal);
      const text = await wholeText(answer.body);
      if (answer.status >= 300) throw failureOf(answer, text, { path, host: this.host, ...this.settings });
      return { headers: answer.headers, text };
    } catch (error) {
      throw connectionError(error);
    }
  }

  /** An object, chunk by chunk. */
  async download(key: string, path: string, signal: AbortSignal): Promise<HttpResponse> {
    const patience = new Patience(this.settings.timeoutMs, this.host, signal);
    const limits = { timeoutMs: DOWNLOAD_MS, maxBytes: Number.MAX_SAFE_INTEGER, streams: true };
    try {
      const answer = await patience.during(this.send({ method: 'GET', key }, limits, patience.signal));
      if (answer.status < 300) return { ...answer, body: patient(answer.body, patience) };
      const text = await patience.during(wholeText(answer.body));
      throw failureOf(answer, text, { path, host: this.host, ...this.settings });
    } catch (error) {
      patience.end();
      throw connectionError(error);
    }
  }

  private async send(
    { method, key, query = {}, headers = {}, body }: S3Request,
    limits: { readonly timeoutMs: number; readonly maxBytes: number; readonly streams?: boolean },
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const { accessKey: accessKeyId, secretKey: secretAccessKey, region } = this.settings;
    const url = this.addressOf(key, query);
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': sha256(body ?? '') },
      accessKeyId,
      secretAccessKey,
      service: 's3',
      region,
      cache: this.cache,
      allHeaders: true,
    }).sign();
    return this.http(
      {
        method,
        url: url.href,
        headers: { 'accept-encoding': 'identity', ...Object.fromEntries(signed.headers) },
        secretHeaders: ['authorization'],
        body,
        redirects: 0,
        ...limits,
      },
      signal,
    );
  }

  private addressOf(key: string, query: Readonly<Record<string, string>>): URL {
    const { addressing, bucket } = this.settings;
    const path = [...(addressing === 'path' ? [bucket] : []), ...(key === '' ? [] : key.split('/'))];
    const url = new URL(this.base);
    url.pathname = `/${path.map(encoded).join('/')}`;
    url.search = Object.entries(query)
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .join('&');
    return url;
  }
}

/** Escapes characters as RFC 3986 reserves them, which the signature requires. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** An error of the guarded client, as an error of connections. */
function connectionError(error: unknown): unknown {
  if (!(error instanceof WeftError)) return error;
  if (error.code === 'outbound_failed' || error.code === 'outbound_timeout' || error.code === 'outbound_busy')
    return new WeftError('connection_failed', error.message, { transient: error.transient });
  if (error.code === 'bad_answer' || error.code === 'value_too_large')
    return new WeftError('connection_failed', `The answer is not one of S3: ${error.message}`);
  return error;
}

/** Waits for the server, at most so many milliseconds each time. */
class Patience {
  readonly signal: AbortSignal;
  private readonly controller = new AbortController();
  private readonly ms: number;
  private readonly host: string;
  private readonly outer: AbortSignal;
  private readonly onAbort = (): void => this.controller.abort(this.outer.reason);

  constructor(ms: number, host: string, outer: AbortSignal) {
    this.ms = ms;
    this.host = host;
    this.outer = outer;
    this.signal = this.controller.signal;
    if (outer.aborted) this.onAbort();
    else outer.addEventListener('abort', this.onAbort, { once: true });
  }

  async during<T>(work: Promise<T>): Promise<T> {
    const late = new WeftError('connection_failed', `${this.host} sent nothing for ${this.ms} ms.`);
    const timer = setTimeout(() => this.controller.abort(late), this.ms);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    this.outer.removeEventListener('abort', this.onAbort);
  }
}

async function* patient(body: AsyncIterable<Uint8Array>, patience: Patience): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await patience.during(pieces.next());
      if (done === true) return;
      yield value;
    }
  } catch (error) {
    throw connectionError(error);
  } finally {
    patience.end();
    await pieces.return?.();
  }
}
