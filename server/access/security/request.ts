import type { IncomingHttpHeaders } from 'node:http';

/** The part of a request that identifies its sender; both Fastify's and Node's requests fit. */
export interface AccessRequest {
  readonly method?: string | undefined;
  /** Path and query. */
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Undefined if there is no connection, as in tests. */
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
}
