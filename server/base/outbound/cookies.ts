import type { Target } from './target.ts';

/** The cookies of one run, or of its requests through one connection. */
export interface Jar {
  /** The value of `Cookie` for an address; `own` is that of the request itself, whose names come first. Undefined for none. */
  header(to: Target, own: string | undefined): string | undefined;
  /** Takes what an address has set (`Set-Cookie`). */
  take(from: Target, lines: readonly string[]): void;
}

/** The jars of runs. */
export interface Jars {
  of(run: string, name: string): Jar;
  /** The run has ended. */
  forget(run: string): void;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly isSecure: boolean;
  /** Unix milliseconds. */
  readonly ends: number;
}

const MOST_RUNS = 10_000;
const MOST_OF_HOST = 100;
const MOST_BYTES = 4096;
/** Characters of the two parts (RFC 6265, section 4.1.1, and what servers send beyond it). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\x20-\x3a\x3c-\x7e\x80-\xff]*$/;

/**
 * OCJ1. A cookie goes to the host and port that has set it and to no other one: `Domain` widens nothing.
 * OCJ2. A jar belongs to one run, and is gone when that ends.
 * OCJ3. `Secure` cookies are set and sent over https alone, and no cookie that came over http replaces one.
 */
export function createJars(now: () => number = Date.now): Jars {
  const runs = new Map<string, Map<string, Jar>>();
  return {
    of(run, name) {
      let jars = runs.get(run);
      if (jars === undefined) {
        const [oldest] = runs.keys();
        if (runs.size >= MOST_RUNS && oldest !== undefined) runs.delete(oldest);
        jars = new Map();
        runs.set(run, jars);
      }
      let jar = jars.get(name);
      if (jar === undefined) jars.set(name, (jar = createJar(now)));
      return jar;
    },
    forget: (run) => void runs.delete(run),
  };
}

function createJar(now: () => number): Jar {
  /** By host, then by path and name. */
  const hosts = new Map<string, Map<string, Cookie>>();
  return {
    header(to, own) {
      const isSecure = to.url.protocol === 'https:';
      const found = [...(hosts.get(to.url.host)?.values() ?? [])]
        .filter(({ ends, isSecure: needs }) => ends > now() && (isSecure || !needs))
        .filter(({ path }) => isBelow(to.url.pathname, path))
        .sort((a, b) => b.path.length - a.path.length);
      const given = own === undefined || own === '' ? [] : [own];
      const names = new Set((own ?? '').split(';').map((one) => one.split('=')[0]?.trim()));
      const others = found
        .filter(({ name }) => !names.has(name))
        .map(({ name, value }) => `${name}=${value}`);
      const all = [...given, ...others];
      return all.length === 0 ? undefined : all.join('; ');
    },
    take(from, lines) {
      for (const line of lines) {
        const cookie = readCookie(line, from, now());
        if (cookie !== undefined) keep(from.url, cookie);
      }
    },
  };

  function keep({ host, protocol }: URL, cookie: Cookie): void {
    const jar = hosts.get(host) ?? new Map<string, Cookie>();
    hosts.set(host, jar);
    const key = `${cookie.path} ${cookie.name}`;
    if (jar.get(key)?.isSecure === true && protocol !== 'https:') return;
    // The newest is last, so that the oldest goes first.
    jar.delete(key);
    if (cookie.ends > now()) jar.set(key, cookie);
    const [oldest] = jar.keys();
    if (jar.size > MOST_OF_HOST && oldest !== undefined) jar.delete(oldest);
  }
}

/** RFC 6265, section 5.2 and 5.3; undefined for a line that is no cookie, or may not be set there. */
function readCookie(line: string, { url }: Target, now: number): Cookie | undefined {
  if (line.length > MOST_BYTES) return undefined;
  const [pair = '', ...attributes] = line.split(';');
  const at = pair.indexOf('=');
  const [name, value] = [pair.slice(0, Math.max(0, at)).trim(), pair.slice(at + 1).trim()];
  if (at < 1 || !NAME.test(name) || !VALUE.test(value)) return undefined;
  const given = new Map(
    attributes.map((one) => {
      const [key = '', ...rest] = one.split('=');
      return [key.trim().toLowerCase(), rest.join('=').trim()] as const;
    }),
  );
  const isSecure = given.has('secure');
  if (!mayBeSet(name, given, url)) return undefined;
  const path = given.get('path') ?? '';
  return {
    name,
    value,
    path: path.startsWith('/') ? path : url.pathname.replace(/\/[^/]*$/, '') || '/',
    isSecure,
    ends: endOf(given.get('max-age'), given.get('expires'), now),
  };
}

/** The prefixes of names promise how they were set. */
function mayBeSet(name: string, given: ReadonlyMap<string, string>, { protocol }: URL): boolean {
  const isSecure = given.has('secure');
  if (isSecure && protocol !== 'https:') return false;
  if (/^__secure-/i.test(name)) return isSecure;
  if (!/^__host-/i.test(name)) return true;
  return isSecure && given.get('path') === '/' && (given.get('domain') ?? '') === '';
}

function endOf(maxAge: string | undefined, expires: string | undefined, now: number): number {
  if (maxAge !== undefined && /^-?\d{1,15}$/.test(maxAge)) return now + Number(maxAge) * 1000;
  const time = expires === undefined ? Number.NaN : Date.parse(expires);
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}

function isBelow(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}
