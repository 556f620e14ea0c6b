import type { Config } from '../../base/config/config.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The limits of streamed answers. */
    readonly streamLimits: StreamLimits;
  }
}

/** Times of a streamed answer, in milliseconds. */
export interface StreamLimits {
  /** Silence after which a ping is sent, if the format has one. */
  readonly pingMs: number;
  /** The longest time without an item, and the longest time for which the client reads nothing. */
  readonly idleMs: number;
  /** The longest total time, from the first item on. */
  readonly totalMs: number;
  /** The flow limits its runs itself: silence may last as long as that limit, and only the client must keep reading. */
  readonly ownTime?: boolean;
}

/** Silence after which a ping is sent, in milliseconds. */
export const PING_MS = 15_000;

/** The limits of the server's streamed answers. */
export function streamLimitsOf({
  streamIdleMs,
  streamMs,
}: Pick<Config, 'streamIdleMs' | 'streamMs'>): StreamLimits {
  return { pingMs: PING_MS, idleMs: streamIdleMs, totalMs: streamMs };
}
