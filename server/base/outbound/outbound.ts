import type { Outbound, OutboundOptions } from './client.ts';

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
