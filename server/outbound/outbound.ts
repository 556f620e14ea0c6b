import type { HttpService } from '#engine';
import type { Resolve } from './guard.ts';

/**
 * The one way for flows to the outside.
 * O1. Every hop of a request, redirects too, passes the guard; its connection goes to the addresses that were judged.
 * O2. Time, size after unpacking, and headers are limited; nothing is read beyond what the reader takes.
 * O3. No proxy, no cookie jar, no credentials but those of the request; they stay with the origin they were meant for.
 */
export interface Outbound extends HttpService {
  close(): Promise<void>;
}

export interface OutboundOptions {
  /** As in WEFT_OUTBOUND_ALLOW. */
  readonly allow: readonly string[];
  readonly ownPort?: () => number | undefined;
  readonly resolve?: Resolve;
}

/** The client itself is loaded with the first request: a server whose flows send none starts without it. */
export function createOutbound(options: OutboundOptions): Outbound {
  let client: Promise<Outbound> | undefined;
  const load = (): Promise<Outbound> =>
    (client ??= import('./client.ts').then(({ createClient }) => createClient(options)));
  return {
    send: async (...call) => (await load()).send(...call),
    close: async () => (await client)?.close(),
  };
}
