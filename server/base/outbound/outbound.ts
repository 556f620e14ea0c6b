import { lazy } from '../parts/lazy.ts';
import type { Outbound, OutboundOptions } from './client.ts';

/** The client itself is loaded with the first request: a server whose flows send none starts without it. */
export function createOutbound(options: OutboundOptions): Outbound {
  const client = lazy(async () => (await import('./client.ts')).createClient(options));
  return {
    send: async (...call) => (await client()).send(...call),
    connect: async (...call) => (await client()).connect(...call),
    counts: () => client.loaded?.counts() ?? [],
    close: async () => (await client.loading)?.close(),
  };
}
