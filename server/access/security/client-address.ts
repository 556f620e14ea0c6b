import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { AccessRequest } from './request.ts';

/** Where a request comes from; undefined over a Unix socket. */
export type ClientAddress = (request: AccessRequest) => string | undefined;

/**
 * With WEFT_TRUST_PROXY, the client address that the proxy in front reports last. A text there that is not an address counts as the
 * proxy's own, so that a client cannot become many by inventing some.
 */
export function createClientAddress(trustProxy: boolean): ClientAddress {
  return ({ headers, socket }) => {
    const remote = socket?.remoteAddress;
    if (!trustProxy) return remote;
    const forwarded = String(headers['x-forwarded-for'] ?? '');
    return reported(forwarded.slice(forwarded.lastIndexOf(',') + 1)) ?? remote;
  };
}

/** Some proxies add the port. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/;

function reported(text: string): string | undefined {
  const [whole, inBrackets, v4] = WITH_PORT.exec(text.trim()) ?? [text.trim()];
  const address = inBrackets ?? v4 ?? whole;
  return isIP(address) === 0 ? undefined : address;
}

/**
 * The client behind an address, however it is written: an IPv4 address, or the 64-bit IPv6 network of one household. A
 * name that is not an address stays unchanged.
 */
export function networkOf(address: string): string {
  // The library alone would also read `1` and `0x7f.1`.
  if (isIP(address) === 0) return address;
  const read = ipaddr.process(address);
  if (read instanceof ipaddr.IPv4) return read.toString();
  return read.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}

/** A request of the framework. */
interface Sender {
  readonly ip: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** The address that a request of the framework comes from; the framework accepts any text from a proxy. */
export function senderAddress({ ip, socket }: Sender): string | undefined {
  return reported(ip ?? '') ?? socket.remoteAddress;
}

/** The name under which the calls of a request are counted. `key`: the owner of the key that admitted it, if one did. */
export function sharerOf(by: 'caller' | 'address' | 'all', sender: Sender, key?: string): string {
  if (by === 'all') return '*';
  return by === 'caller' && key !== undefined ? key : networkOf(senderAddress(sender) ?? 'local');
}
