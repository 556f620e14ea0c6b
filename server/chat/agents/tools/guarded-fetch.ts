import type { Asker, HttpService } from '#engine';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Who asks, and for how long. */
export interface GuardedFetchOptions {
  readonly by: Asker;
  /** Aborts all requests. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Limits of an answer that is a stream of messages and lasts as long as the connection. */
  readonly streams?: { readonly timeoutMs: number; readonly maxBytes: number };
  /** The addresses are below that of this connection, which adds its credentials. */
  readonly connection?: string;
  /** Sent with each request, but only to their origin. */
  readonly secretHeaders: Readonly<Record<string, string>>;
}

/** A `fetch` over the guarded client, for libraries with a protocol of their own. It follows no redirects. */
export function guardedFetch(http: HttpService, options: GuardedFetchOptions): Fetch {
  const { by, timeoutMs, maxBytes, secretHeaders, connection } = options;
  return async (url, init = {}) => {
    const { method = 'GET', body } = init;
    const headers = { ...Object.fromEntries(new Headers(init.headers)), ...secretHeaders };
    const signal = init.signal ? AbortSignal.any([init.signal, options.signal]) : options.signal;
    const answer = await http.send(
      {
        method,
        url: String(url),
        ...(connection !== undefined && { connection }),
        headers,
        secretHeaders: Object.keys(secretHeaders),
        body: typeof body === 'string' ? body : undefined,
        redirects: 0,
        ...(method === 'GET' && options.streams
          ? { streams: true, ...options.streams }
          : { timeoutMs, maxBytes }),
      },
      by,
      signal,
    );
    const { status } = answer;
    const hasBody = method !== 'HEAD' && status !== 204 && status !== 205 && status !== 304;
    return new Response(hasBody ? ReadableStream.from(answer.body) : null, {
      status,
      headers: answer.headers,
    });
  };
}
