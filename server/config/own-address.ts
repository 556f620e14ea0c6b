import type { Config } from './config.ts';
import { isWildcard } from './hosts.ts';

/**
 * The address where people reach this server: WEFT_PUBLIC_URL, or the address that it listens on. Without a final
 * slash.
 */
export function ownAddress({ publicUrl, host }: Pick<Config, 'publicUrl' | 'host'>, port: number): string {
  return publicUrl?.replace(/\/+$/, '') ?? `http://${shownHost(host)}:${port}`;
}

/** The address where people and programs reach triggers and wait pages: WEFT_TRIGGER_ORIGIN, or `ownAddress`. */
export function triggerAddress(
  config: Pick<Config, 'publicUrl' | 'host' | 'triggerOrigin'>,
  port: number,
): string {
  return config.triggerOrigin ?? ownAddress(config, port);
}

function shownHost(host: string): string {
  if (isWildcard(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
