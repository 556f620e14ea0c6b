import { networkInterfaces } from 'node:os';
import type { Config } from './config.ts';
import { isWildcard } from './hosts.ts';

/**
 * The address where people reach this server: WEFT_PUBLIC_URL, or the address that it listens on. Without a final
 * slash.
 */
export function ownAddress({ publicUrl, host }: Pick<Config, 'publicUrl' | 'host'>, port: number): string {
  return publicUrl?.replace(/\/+$/, '') ?? `http://${shownHost(host)}:${port}`;
}

/**
 * The address where the sender of a request reaches this server: WEFT_PUBLIC_URL, or the one that it used, whose host the guard has
 * checked.
 */
export function addressOfRequest(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  { protocol, host }: { readonly protocol: string; readonly host: string },
): string {
  return publicUrl?.replace(/\/+$/, '') ?? `${protocol}://${host}`;
}

/** The address where people and programs reach triggers and wait pages: WEFT_TRIGGER_ORIGIN, or `ownAddress`. */
export function triggerAddress(
  config: Pick<Config, 'publicUrl' | 'host' | 'triggerOrigin'>,
  port: number,
): string {
  return config.triggerOrigin ?? ownAddress(config, port);
}

/**
 * The address where other servers of the database reach this one: WEFT_INTERNAL_URL, or the first address of this machine that
 * it listens on. Each of several processes has a port of its own there.
 */
export function internalAddress(
  { internalUrl, host, process: one }: Pick<Config, 'internalUrl' | 'host' | 'process'>,
  port: number,
): string {
  if (internalUrl !== undefined) {
    const url = new URL(internalUrl);
    if (one !== undefined) url.port = String(port);
    return url.href.replace(/\/+$/, '');
  }
  return `http://${shownHost(isWildcard(host) ? (outwardAddress() ?? host) : host)}:${port}`;
}

function outwardAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  const outward = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  return (outward.find(({ family }) => family === 'IPv4') ?? outward[0])?.address;
}

function shownHost(host: string): string {
  if (isWildcard(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
