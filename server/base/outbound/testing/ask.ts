import { onTestFinished } from 'vitest';
import type { Asker, HttpRequest } from '#engine';
import type { OutboundOptions } from '../client.ts';
import { createOutbound } from '../outbound.ts';

export const asker: Asker = { flow: 'f', version: 'v', run: 'r', node: 'n', operator: 'http.request' };

/** The result of a request: its answer, or the code it failed with. */
export interface Outcome {
  readonly status?: number;
  readonly body?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[] | undefined;
  readonly code?: string;
  readonly message?: string;
  readonly transient?: boolean;
}

export type Ask = (url: string, more?: Partial<HttpRequest> & { signal?: AbortSignal }) => Promise<Outcome>;

/** A client for one test, closed when it ends. Anything but a coded error is thrown. */
export function startClient(options: Partial<OutboundOptions> = {}): Ask {
  const outbound = createOutbound({ allow: [], ...options });
  onTestFinished(() => outbound.close());
  return async (url, { signal = new AbortController().signal, ...more } = {}) => {
    const request: HttpRequest = { ...defaults, url, ...more };
    try {
      const { status, headers, cookies, body, url: from } = await outbound.send(request, asker, signal);
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      return { status, headers, cookies, url: from, body: Buffer.concat(chunks).toString() };
    } catch (error) {
      const { code, message, transient } = error as Outcome;
      if (code === undefined) throw error;
      return {
        code,
        ...(message !== undefined && { message }),
        ...(transient !== undefined && { transient }),
      };
    }
  };
}

const defaults = {
  method: 'GET',
  headers: {},
  body: undefined,
  redirects: 5,
  timeoutMs: 5000,
  maxBytes: 1_000_000,
};
