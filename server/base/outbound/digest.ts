import { createHash, randomBytes } from 'node:crypto';

/** A request that a server wants signed (RFC 7616). */
export interface Asked {
  readonly origin: string;
  readonly user: string;
  readonly password: string;
  readonly method: string;
  /** The path and the query, as they are sent. */
  readonly uri: string;
  /** The hash of the body, in hexadecimal. */
  bodyHash(algorithm: string): Promise<string>;
}

/** The challenges of servers, by origin and user. */
export interface Digests {
  /** The value of `Authorization` by the last challenge; undefined if there was none. */
  next(asked: Asked): Promise<string | undefined>;
  /** The value of `Authorization` for a challenge; undefined if it asks for nothing that is known here. */
  answer(asked: Asked, challenges: string): Promise<string | undefined>;
}

interface Challenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | undefined;
  /** The name as it was written, such as `SHA-256-sess`. */
  readonly algorithm: string | undefined;
  /** The name that Node knows. */
  readonly hash: string;
  readonly isSession: boolean;
  readonly qop: 'auth' | 'auth-int' | undefined;
  readonly isUtf8: boolean;
  readonly hidesUser: boolean;
  count: number;
}

/** From the weakest to the strongest. */
const HASHES: readonly (readonly [string, string])[] = [
  ['md5', 'md5'],
  ['sha-256', 'sha256'],
  ['sha-512-256', 'sha512-256'],
];
const MOST = 256;

/** `nonce` makes the client's own. */
export function createDigests(nonce = () => randomBytes(16).toString('hex')): Digests {
  const challenges = new Map<string, Challenge>();
  return {
    async next(asked) {
      const challenge = challenges.get(keyOf(asked));
      return challenge && authorization(challenge, asked, nonce());
    },
    async answer(asked, text) {
      const challenge = strongest(text);
      if (challenge === undefined) return undefined;
      const [oldest] = challenges.keys();
      if (challenges.size >= MOST && oldest !== undefined) challenges.delete(oldest);
      challenges.set(keyOf(asked), challenge);
      return authorization(challenge, asked, nonce());
    },
  };
}

function keyOf({ origin, user, password }: Asked): string {
  return `${origin} ${createHash('sha256').update(`${user}\n${password}`).digest('base64')}`;
}

async function authorization(challenge: Challenge, asked: Asked, cnonce: string): Promise<string> {
  const { realm, nonce, opaque, algorithm, hash, isSession, qop, isUtf8, hidesUser } = challenge;
  const encoding = isUtf8 ? 'utf8' : 'latin1';
  const h = (text: string): string => createHash(hash).update(text, encoding).digest('hex');
  const nc = (++challenge.count).toString(16).padStart(8, '0');
  const secret = h(`${asked.user}:${realm}:${asked.password}`);
  const first = isSession ? h(`${secret}:${nonce}:${cnonce}`) : secret;
  const body = qop === 'auth-int' ? `:${await asked.bodyHash(hash)}` : '';
  const second = h(`${asked.method}:${asked.uri}${body}`);
  const middle = qop === undefined ? nonce : `${nonce}:${nc}:${cnonce}:${qop}`;
  const fields = [
    ...userFields(asked.user, hidesUser ? h(`${asked.user}:${realm}`) : undefined),
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(asked.uri)}`,
    `response="${h(`${first}:${middle}:${second}`)}"`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
    ...(qop === undefined ? [] : [`qop=${qop}`, `nc=${nc}`]),
    ...(qop === undefined && !isSession ? [] : [`cnonce="${cnonce}"`]),
  ];
  return `Digest ${fields.join(', ')}`;
}

function userFields(user: string, hashed: string | undefined): string[] {
  if (hashed !== undefined) return [`username="${hashed}"`, 'userhash=true'];
  const isPlain = /^[\x20-\x7e]*$/.test(user);
  return [isPlain ? `username=${quoted(user)}` : `username*=UTF-8''${encodeURIComponent(user)}`];
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** The strongest of the challenges of a header that is known here. */
function strongest(text: string): Challenge | undefined {
  const known = challengesIn(text).flatMap((fields) => readChallenge(fields) ?? []);
  const rank = ({ hash }: Challenge): number => HASHES.findIndex(([, name]) => name === hash);
  return known.sort((a, b) => rank(b) - rank(a))[0];
}

function readChallenge(fields: ReadonlyMap<string, string>): Challenge | undefined {
  const algorithm = fields.get('algorithm');
  const [name, isSession] = algorithmOf(algorithm ?? 'MD5');
  const hash = HASHES.find(([known]) => known === name)?.[1];
  const [realm, nonce] = [fields.get('realm'), fields.get('nonce')];
  if (hash === undefined || realm === undefined || nonce === undefined) return undefined;
  const offered = fields.get('qop');
  const qop = protectionOf(offered);
  // It wants something else than the known ones.
  if (offered !== undefined && qop === undefined) return undefined;
  return {
    realm,
    nonce,
    opaque: fields.get('opaque'),
    algorithm,
    hash,
    isSession,
    qop,
    isUtf8: fields.get('charset')?.toLowerCase() === 'utf-8',
    hidesUser: fields.get('userhash')?.toLowerCase() === 'true',
    count: 0,
  };
}

function algorithmOf(written: string): [name: string, isSession: boolean] {
  const lower = written.toLowerCase();
  return [lower.replace(/-sess$/, ''), lower.endsWith('-sess')];
}

function protectionOf(offered: string | undefined): Challenge['qop'] {
  const names = offered?.split(',').map((one) => one.trim().toLowerCase());
  return (['auth', 'auth-int'] as const).find((one) => names?.includes(one));
}

/** The fields of each Digest challenge in a header, whose values may themselves contain commas. */
export function challengesIn(header: string): ReadonlyMap<string, string>[] {
  const found: Map<string, string>[] = [];
  let current: Map<string, string> | undefined;
  const tokens =
    /([A-Za-z][\w-]{0,30})[ \t]{1,9}(?=[A-Za-z][\w*-]{0,30}[ \t]{0,9}=)|([A-Za-z][\w*-]{0,30})[ \t]{0,9}=[ \t]{0,9}(?:"((?:[^"\\]|\\.){0,4000})"|([^\s,"]{1,4000}))/g;
  for (const [, scheme, name, inQuotes, plain] of header.slice(0, 16_384).matchAll(tokens)) {
    if (scheme !== undefined) {
      current = scheme.toLowerCase() === 'digest' ? new Map() : undefined;
      if (current !== undefined) found.push(current);
    } else if (name !== undefined)
      current?.set(name.toLowerCase(), inQuotes?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '');
  }
  return found;
}
