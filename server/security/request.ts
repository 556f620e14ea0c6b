import type { IncomingHttpHeaders } from 'node:http';

/** The part of a request that says who sent it; Fastify's and Node's requests both fit. */
export interface AccessRequest {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Absent where there is no connection, as in tests. */
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
}
