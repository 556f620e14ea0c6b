import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type AllowList, createAllowList } from './allow-list.ts';

/** The proxy that the server's owner named. */
export interface ProxySettings {
  /** `http://host:port`, `https://…` or `socks5://…`, without credentials. */
  readonly address: string;
  /** `user:password`; undefined for a proxy that asks for none. */
  readonly credentials: string | undefined;
  /** Destinations that are reached without it, in the form of WEFT_NO_PROXY. */
  readonly except: readonly string[];
}

/** Who looks up names: this server, which judges their addresses, or the proxy, which is handed the names. */
export type ProxyDns = 'local' | 'proxy';

/** A proxy, read from its address. */
export interface Proxy {
  readonly protocol: 'http' | 'https' | 'socks5';
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** For messages: without credentials. */
  readonly shown: string;
  /** Tells ways through different proxies apart. Contains the credentials. */
  readonly key: string;
}

/** What a call says about its proxy: one of its own, none, or undefined for that of the server. */
export type OwnProxy = Proxy | 'none' | undefined;

const PORTS: Readonly<Record<string, number>> = { http: 80, https: 443, socks5: 1080 };

/** Reads an address that has the form of `ProxySettings`. */
export function readProxy(address: string, credentials: string | undefined): Proxy {
  const { protocol, hostname, port } = new URL(address);
  const scheme = protocol.slice(0, -1) as Proxy['protocol'];
  const host = hostname.replace(/^\[|\]$/g, '');
  const [, user = '', password = ''] = /^([^:]*):?(.*)$/s.exec(credentials ?? '') ?? [];
  const shown = `${scheme}://${hostname}:${port || PORTS[scheme]}`;
  return {
    protocol: scheme,
    host,
    port: Number(port) || (PORTS[scheme] ?? 0),
    user,
    password,
    shown,
    key: `${shown} ${credentials ?? ''}`,
  };
}

/** Decides which way a destination takes. */
export interface Proxies {
  /** The proxy for a destination; undefined: it is reached without one. */
  for(host: string, port: number, own: OwnProxy): Proxy | undefined;
  /** Whether a destination is reached without the proxy because of what its name leads to. */
  isPast(addresses: readonly string[], own: OwnProxy): boolean;
  readonly dns: ProxyDns;
}

/**
 * OPX1. This machine is never reached through a proxy: the same address would be another machine there.
 * OPX2. The list of exceptions concerns the proxy of the server. A connection that names one of its own has named its destination too.
 */
export function createProxies(settings: ProxySettings | undefined, dns: ProxyDns): Proxies {
  const general = settings && readProxy(settings.address, settings.credentials);
  const except = createExceptions(settings?.except ?? []);
  return {
    dns,
    for(host, port, own) {
      const proxy = own ?? general;
      if (proxy === undefined || proxy === 'none' || isThisMachine(host)) return undefined;
      return own === undefined && except.host(host, port) ? undefined : proxy;
    },
    isPast: (addresses, own) =>
      addresses.some((one) => isThisMachine(one) || (own === undefined && except.address(one))),
  };
}

function isThisMachine(host: string): boolean {
  if (isIP(host) === 0) return host === 'localhost' || host.endsWith('.localhost');
  return ipaddr.process(host).range() === 'loopback';
}

/** `*`, a name with all names below it, an address, a block; names and addresses also with a port. */
function createExceptions(entries: readonly string[]): Pick<AllowList, 'host' | 'address'> {
  const list = createAllowList(entries.map((entry) => entry.toLowerCase().replace(/^\*?\./, '')));
  const all = entries.includes('*');
  return {
    host(host, port) {
      if (all || list.host(host, port)) return true;
      if (isIP(host) !== 0) return list.address(host);
      const parts = host.split('.');
      return parts.some((_, from) => list.host(parts.slice(from).join('.'), port));
    },
    address: (address) => list.address(address),
  };
}
