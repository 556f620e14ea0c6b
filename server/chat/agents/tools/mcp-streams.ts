import { WeftError } from '#engine';
import { isRecord } from '#shared/json.ts';

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** The answer to a request, in the form of the protocol. */
interface Failed {
  readonly jsonrpc: '2.0';
  readonly id: number | string;
  readonly error: { readonly code: number; readonly message: string; readonly data: Broken };
}

/** The SDK's error code for a connection that has ended. */
const CONNECTION_CLOSED = -32000;

/** Carries the error of an answer through the SDK, which keeps no causes. */
class Broken {
  readonly error: WeftError;

  constructor(error: WeftError) {
    this.error = error;
  }
}

/** The error of an answer that has broken off, if that was the failure. */
export function brokenOff(error: unknown): WeftError | undefined {
  const { data } = (error ?? {}) as { readonly data?: unknown };
  return data instanceof Broken ? data.error : undefined;
}

/**
 * Fails a request whose answer is a stream that breaks off before its result, or ends without one. The SDK would wait until its
 * time is over. A stream whose events have ids is left to the SDK, which asks for the rest.
 */
export function failingBrokenOff(fetch: Fetch, name: string, fail: (answer: Failed) => void): Fetch {
  return async (url, init) => {
    const answer = await fetch(url, init);
    const id = idIn(init?.body);
    const type = answer.headers.get('content-type') ?? '';
    if (id === undefined || !answer.body || !type.startsWith('text/event-stream')) return answer;
    const ended = (cause: unknown): void => {
      const error =
        cause instanceof WeftError
          ? cause
          : new WeftError('outbound_failed', `The MCP server ${name} ended its answer before the result.`);
      const { message } = error;
      // The SDK still reads what has arrived. A request that has its result does not hear of this.
      setTimeout(
        () =>
          fail({ jsonrpc: '2.0', id, error: { code: CONNECTION_CLOSED, message, data: new Broken(error) } }),
        10,
      );
    };
    const { status, headers } = answer;
    return new Response(ReadableStream.from(watched(answer.body, ended)), { status, headers });
  };
}

async function* watched(
  body: AsyncIterable<Uint8Array>,
  ended: (cause: unknown) => void,
): AsyncGenerator<Uint8Array> {
  let last = '';
  let canResume = false;
  try {
    for await (const piece of body) {
      const text = last + Buffer.from(piece).toString('latin1');
      canResume ||= /(?:^|[\r\n])id: ?[^\r\n]/.test(text);
      last = text.slice(-5);
      yield piece;
    }
  } catch (error) {
    if (!canResume || (error instanceof WeftError && error.code === 'value_too_large')) ended(error);
    throw error;
  }
  if (!canResume) ended(undefined);
}

/** The id of the request in a body. */
function idIn(body: RequestInit['body']): number | string | undefined {
  if (typeof body !== 'string') return undefined;
  const message: unknown = JSON.parse(body);
  if (!isRecord(message) || message['method'] === undefined) return undefined;
  const { id } = message;
  return typeof id === 'number' || typeof id === 'string' ? id : undefined;
}
