import { lazy } from '../parts/lazy.ts';
import type { Outbound, OutboundOptions } from './client.ts';

/** The client itself is loaded with the first request: a server whose flows send none starts without it. */
export function createOutbound(options: OutboundOptions): Outbound {
  const client = lazy(async () => (await import('./client.ts')).createClient(options));
  return {
    send: async (...call) => (await client()).send(...call),
    connect: async (...call) => (await client()).connect(...call),
    counts: () => client.loaded?.counts() ?? [],
    forget: (run) => client.loaded?.forget(run),
    close: async () => (await client.loading)?.close(),
  };
}

/** The settings of the server that concern the outside. */
export interface OutsideSettings {
  readonly outboundAllow: OutboundOptions['allow'];
  readonly outboundLimits: NonNullable<OutboundOptions['limits']>;
  readonly proxy: string | undefined;
  readonly proxyCredentials: string | undefined;
  readonly noProxy: readonly string[];
  readonly proxyDns: NonNullable<OutboundOptions['proxyDns']>;
}

/** The password of `user:password`. */
export function passwordOf(credentials: string): string {
  return credentials.slice(credentials.indexOf(':') + 1);
}

/** The options of a client for these settings. */
export function optionsOf(settings: OutsideSettings): OutboundOptions {
  const { outboundAllow: allow, outboundLimits: limits, proxyDns, proxy: address } = settings;
  const { proxyCredentials: credentials, noProxy: except } = settings;
  return {
    allow,
    limits,
    proxyDns,
    ...(address !== undefined && { proxy: { address, credentials, except } }),
  };
}
