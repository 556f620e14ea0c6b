import type { Asker, HttpService } from '#engine';
import type { FileValue } from '#shared/file.ts';
import type { Resolve } from './guard.ts';
import type { OutboundLimits } from './limits.ts';
import type { OriginCounts } from './places.ts';
import type { Sockets } from './sockets.ts';

/**
 * The client for the server's own parts. `near` is a `host:port` on this machine or in a private network that their
 * settings allow, for this request only. Operators and code cannot set it.
 */
export interface ProviderHttp {
  send(
    ...call: [...request: Parameters<HttpService['send']>, near?: string | undefined]
  ): ReturnType<HttpService['send']>;
}

/**
 * The only way for flows to reach the outside.
 * OO1. Every hop of a request, redirects too, passes the guard; its connection goes to the addresses that were
 *      checked.
 * OO2. Time, size after decompression, and headers are limited; nothing is read beyond what the reader takes.
 * OO3. No proxy, no cookie jar, no credentials except those of the request, which stay with their origin.
 * OO4. Connections to an origin are limited and shared fairly (`places.ts`); the time limit of a request
 *      includes waiting for one.
 * OO5. A socket passes the same guard and counts among the same connections; its peer is one of the checked addresses.
 */
export interface Outbound extends ProviderHttp, Sockets {
  counts(): OriginCounts[];
  close(): Promise<void>;
}

export interface OutboundOptions {
  /** As in WEFT_OUTBOUND_ALLOW. */
  readonly allow: readonly string[];
  /** As in WEFT_OUTBOUND_LIMITS. */
  readonly limits?: OutboundLimits;
  readonly ownPort?: () => number | undefined;
  readonly resolve?: Resolve;
  /** The content of a file in a body. */
  readonly openFile?: (file: FileValue, by: Asker) => Promise<AsyncIterable<Uint8Array> | undefined>;
}

/** The client itself is loaded with the first request: a server whose flows send none starts without it. */
export function createOutbound(options: OutboundOptions): Outbound {
  let client: Promise<Outbound> | undefined;
  let loaded: Outbound | undefined;
  const load = (): Promise<Outbound> =>
    (client ??= import('./client.ts').then(({ createClient }) => (loaded = createClient(options))));
  return {
    send: async (...call) => (await load()).send(...call),
    connect: async (...call) => (await load()).connect(...call),
    counts: () => loaded?.counts() ?? [],
    close: async () => (await client)?.close(),
  };
}
