import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses that the server's owner allows beyond public ones. */
export interface AllowList {
  /** The name or address itself is allowed, with any port or with this one. */
  host(name: string, port: number): boolean;
  /** The address is in an allowed block. */
  address(address: string): boolean;
  /** Listed together with exactly this port. */
  exactly(name: string, port: number): boolean;
}

type Block = ReturnType<typeof ipaddr.parseCIDR>;

const named = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/;

/** Whether an entry is valid: `host`, `host:port`, `10.0.0.7`, `[fd00::7]:8080`, `10.0.0.0/8`. */
export function isAllowEntry(entry: string): boolean {
  return blockOf(entry) !== undefined || isIP(entry) === 6 || named.test(entry.toLowerCase());
}

/** Whether an entry names destinations that are reached without a proxy: like the above, `.example.com`, or `*` for all. */
export function isException(entry: string): boolean {
  return entry === '*' || isAllowEntry(entry.replace(/^\*?\./, ''));
}

/** Whether an address is that of a proxy: `http://host:port`, `https://…` or `socks5://…`, without credentials and path. */
export function isProxyAddress(address: string): boolean {
  const isPlain = /^(?:https?|socks5):\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?\/?$/i.test(address);
  return isPlain && URL.canParse(address);
}

/** Reads the entries, which `isAllowEntry` must have accepted. */
export function createAllowList(entries: readonly string[]): AllowList {
  const blocks = entries.map(blockOf).filter((block) => block !== undefined);
  const names = new Set(entries.filter((entry) => !entry.includes('/')).map(canonicalName));
  const exactly = (name: string, port: number): boolean =>
    spellings(name).some((one) => names.has(`${one}:${port}`));
  return {
    host: (name, port) => spellings(name).some((one) => names.has(one)) || exactly(name, port),
    address: (address) =>
      names.has(canonicalName(address)) || blocks.some((block) => contains(block, address)),
    exactly,
  };
}

function blockOf(entry: string): Block | undefined {
  return ipaddr.isValidCIDR(entry) ? ipaddr.parseCIDR(entry) : undefined;
}

/** An address in one block of its own kind; mapped ones are not unwrapped. */
function contains(block: Block, address: string): boolean {
  const parsed = ipaddr.parse(address);
  return parsed.kind() === block[0].kind() && parsed.match(block);
}

/** Names with the same meaning: people may use one where another is configured. */
const SAME: readonly string[] = ['localhost', '127.0.0.1'];

function spellings(name: string): readonly string[] {
  const own = canonicalName(name);
  return SAME.includes(own) ? SAME : [own];
}

/** Lower case, without a final dot, IPv6 in brackets. */
function canonicalName(name: string): string {
  const lower = name.toLowerCase().replace(/\.$/, '');
  return isIP(lower) === 6 ? `[${lower}]` : lower;
}
