import type { Asker } from '#engine';
import type { ProviderHttp } from '../../../base/outbound/client.ts';
import type { Watch } from './watch.ts';

/** The longest time of a whole answer, in milliseconds, and its largest size in bytes. */
const MAX_MS = 900_000;
const MAX_BYTES = 64 * 1024 ** 2;

/** Statuses of answers without a body. */
const bodiless = new Set([101, 204, 205, 304]);

/**
 * A `fetch` that goes through the guarded client, for one model call. The watch receives the original error, because the SDK
 * wraps network errors in its own.
 */
export function guardedFetch(
  http: ProviderHttp,
  by: Asker,
  watch: Watch,
  allow: string | undefined,
): typeof fetch {
  return async (input, init = {}) => {
    const request = {
      method: init.method ?? 'GET',
      url: input instanceof Request ? input.url : String(input),
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof init.body === 'string' ? init.body : undefined,
      redirects: 0,
      timeoutMs: MAX_MS,
      maxBytes: MAX_BYTES,
      streams: true,
    };
    const { status, headers, body } = await watch.during(() =>
      http.send(request, by, watch.signal, { near: allow }),
    );
    const stream = bodiless.has(status) ? null : ReadableStream.from(watched(body, watch));
    return new Response(stream, { status, headers });
  };
}

async function* watched(
  body: AsyncIterable<Uint8Array>,
  watch: Watch,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await watch.during(() => chunks.next());
      if (next.done === true) return;
      yield next.value as Uint8Array<ArrayBuffer>;
    }
  } finally {
    await chunks.return?.();
  }
}
