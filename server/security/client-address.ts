import { isIP, isIPv6 } from 'node:net';
import type { AccessRequest } from './request.ts';

/** Where a request comes from; undefined over a Unix socket. */
export type ClientAddress = (request: AccessRequest) => string | undefined;

/** With WEFT_TRUST_PROXY, the client address that the proxy in front reports, as Fastify's `request.ip` has it. */
export function createClientAddress(trustProxy: boolean): ClientAddress {
  return ({ headers, socket }) => {
    const remote = socket?.remoteAddress;
    if (!trustProxy) return remote;
    const forwarded = String(headers['x-forwarded-for'] ?? '');
    const last = forwarded.slice(forwarded.lastIndexOf(',') + 1).trim();
    return isIP(last) === 0 ? remote : last;
  };
}

/** The client that an address stands for: an IPv4 address, or the 64-bit IPv6 network of one household. */
export function networkOf(address: string): string {
  const plain = address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
  if (!isIPv6(plain) || plain.startsWith('::ffff:')) return plain;
  const [head = '', tail] = plain.split('::', 2);
  const groups = head.split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? [] : Array<string>(8).fill('0');
  return [...groups, ...zeros].slice(0, 4).join(':');
}

/** The name under which the calls of a request are counted. `key`: the owner of the key that opened it, if one did. */
export function sharerOf(
  by: 'caller' | 'address' | 'all',
  { ip }: { readonly ip: string | undefined },
  key?: string,
): string {
  if (by === 'all') return '*';
  return by === 'caller' && key !== undefined ? key : networkOf(ip ?? 'local');
}
