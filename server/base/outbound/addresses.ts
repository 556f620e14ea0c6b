import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/**
 * Metadata and credentials of clouds, at addresses that look public or private: Azure, Alibaba, Oracle, AWS and Google.
 * Most others are link-local.
 */
const hostAgents = new Set([
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
]);

/** The name of a range in messages; all others are "a reserved address". */
const words: Readonly<Record<string, string>> = {
  loopback: 'an address of the server itself',
  unspecified: 'an address of the server itself',
  private: 'a private address',
  uniqueLocal: 'a private address',
  carrierGradeNat: 'a private address',
  linkLocal: 'a link-local address',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
  ipv4Mapped: 'an IPv4 address in disguise',
  rfc6052: 'an IPv4 address in disguise',
  rfc6145: 'an IPv4 address in disguise',
  '6to4': 'an IPv4 address in disguise',
  teredo: 'an IPv4 address in disguise',
};

/** Why requests may not go to an address; undefined for a public one. Unreadable addresses are not public. */
export function closedRange(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return 'no address';
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (hostAgents.has(parsed.toString())) return 'an address of the cloud the server runs in';
  if (range !== 'unicast') return words[range] ?? 'a reserved address';
  // Only this block of IPv6 is allocated; addresses outside it are local, or have another meaning.
  if (parsed.kind() === 'ipv6' && !parsed.match(globalUnicast)) return 'a reserved address';
  return isOurs(address) ? 'an address of the server itself' : undefined;
}

/** Metadata and credentials of clouds, by name. */
const hostAgentNames = new Set(['metadata.google.internal', 'metadata.goog', 'instance-data.ec2.internal']);

/** Suffixes of names that the public DNS does not have (RFC 6761, 6762, 7686, 8375, 9476, and by convention). */
const inner =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|in-addr\.arpa|ip6\.arpa|test|invalid|onion|alt)$/;

/**
 * Why a name may not be handed to a proxy that looks it up; undefined if it looks public. `isNear`: an administrator named it as a
 * destination.
 */
export function closedName(name: string, proxy: string, isNear: boolean): string | undefined {
  const lower = name.toLowerCase();
  if (!/^[a-z0-9._-]{1,253}$/.test(lower)) return 'no name of the DNS';
  if (hostAgentNames.has(lower)) return 'an address of the cloud the server runs in';
  if (isNear) return undefined;
  if (lower === proxy.toLowerCase()) return 'the proxy itself';
  return inner.test(lower) || !lower.includes('.') ? 'a name of an inner network' : undefined;
}

const globalUnicast = ipaddr.parseCIDR('2000::/3');

const nearby = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);

/** Whether the address is on this machine or in a private network; addresses of the cloud's own services are not. */
export function isNearby(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (hostAgents.has(parsed.toString())) return false;
  return nearby.has(parsed.range()) || isOurs(address);
}

/** Whether the address leads to this machine. */
export function isOurs(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed.range() === 'loopback' || parsed.range() === 'unspecified') return true;
  const text = parsed.toNormalizedString();
  return Object.values(networkInterfaces()).some((list) =>
    list?.some((one) => ipaddr.process(one.address).toNormalizedString() === text),
  );
}
