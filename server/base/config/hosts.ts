import { isIP } from 'node:net';
import type { Config } from './config.ts';

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);
const wildcards = new Set(['0.0.0.0', '::', '[::]']);

/** Most verified headers to remember: callers that vary the port or spelling must not fill the memory. */
const rememberedHosts = 64;

/** Whether only programs on this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Whether the address means all addresses of this machine. */
export function isWildcard(host: string): boolean {
  return wildcards.has(host);
}

/** Whether a Host header names this server. `port` is the one that the connection arrived at. */
export type HostCheck = (header: string, port: number | undefined) => boolean;

/**
 * The guard against DNS rebinding: a stranger's page can point its own name at this server, but it cannot change the
 * Host header that the browser then sends. Names that no one else can own (loopback, addresses) pass; others must be
 * configured.
 */
export function createHostCheck(config: Config): HostCheck {
  const configured = new Set(config.allowedHosts.map((host) => host.toLowerCase()));
  if (config.publicUrl !== undefined) configured.add(new URL(config.publicUrl).host);
  if (config.internalUrl !== undefined) configured.add(new URL(config.internalUrl).host);
  const forTriggers = triggerHosts(config);
  const verified = new Set<string>();
  return (header, port) => {
    if (verified.has(header)) return true;
    const lower = header.toLowerCase();
    const allowed = forTriggers.has(lower) || isAllowed(lower, port, configured, config.host);
    if (allowed && verified.size < rememberedHosts) verified.add(header);
    return allowed;
  };
}

/** The Host headers of requests for WEFT_TRIGGER_ORIGIN, in lower case. */
export function triggerHosts({ triggerOrigin }: Pick<Config, 'triggerOrigin'>): ReadonlySet<string> {
  if (triggerOrigin === undefined) return new Set();
  const { host, protocol, port } = new URL(triggerOrigin);
  const usual = protocol === 'https:' ? 443 : 80;
  return new Set(port === '' ? [host, `${host}:${usual}`] : [host]);
}

function isAllowed(
  header: string,
  port: number | undefined,
  configured: ReadonlySet<string>,
  bound: string,
): boolean {
  const parts = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(header);
  const name = parts?.[1];
  if (name === undefined) return false;
  if (configured.has(header) || configured.has(name)) return true;
  // Elsewhere than on loopback the public port may differ (a container's mapping), and an address cannot be rebound.
  return isOwnName(name, bound) && (!isLoopback(bound) || isOurPort(parts?.[2], port));
}

/** Whether the name in a Host header is a name of this machine that no one else can own. */
export function isOwnName(name: string, bound: string): boolean {
  return loopbackNames.has(name) || name === bracketed(bound) || (isWildcard(bound) && isAddress(name));
}

function isOurPort(given: string | undefined, port: number | undefined): boolean {
  return port === undefined || Number(given ?? 80) === port;
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
}
