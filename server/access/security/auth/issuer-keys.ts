import { errors, type JSONWebKeySet } from 'jose';
import { WeftError } from '#engine';
import type { TokenAuth } from '#shared/trigger-auth.ts';
import type { ProviderHttp } from '../../../base/outbound/client.ts';

export interface KeyDeps {
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly http: Pick<ProviderHttp, 'send'> | undefined;
}

/** The published keys of issuers of tokens. */
export interface IssuerKeys {
  /**
   * Calls `use` with the keys of the issuer. If none of them fits, they may have been replaced: they are fetched again, at most
   * twice a minute. Throws a `WeftError` if they cannot be fetched.
   */
  withKeys<T>(auth: TokenAuth, use: (keys: JSONWebKeySet) => Promise<T>): Promise<T>;
}

/** How long keys are used, and how long at least, in milliseconds. */
const FRESH_MS = 600_000;
const AGAIN_MS = 30_000;
const MOST_ISSUERS = 200;
const MAX_BYTES = 1_000_000;
const TIMEOUT_MS = 5_000;

interface Fetched {
  readonly at: number;
  readonly keys: Promise<JSONWebKeySet>;
}

export function createIssuerKeys({ now, http }: KeyDeps): IssuerKeys {
  const kept = new Map<string, Fetched>();

  function fetched(auth: TokenAuth, maxAge: number): Fetched {
    const name = auth.jwks ?? `issuer ${auth.issuer}`;
    const known = kept.get(name);
    if (known !== undefined && now() < known.at + maxAge) return known;
    const fresh = { at: now(), keys: fetchKeys(http, auth) };
    kept.delete(name);
    kept.set(name, fresh);
    fresh.keys.catch(() => {
      if (kept.get(name) === fresh) kept.delete(name);
    });
    const [oldest] = kept.keys();
    if (kept.size > MOST_ISSUERS && oldest !== undefined) kept.delete(oldest);
    return fresh;
  }

  return {
    async withKeys(auth, use) {
      const { keys, at } = fetched(auth, FRESH_MS);
      try {
        return await use(await keys);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || now() < at + AGAIN_MS) throw error;
        return use(await fetched(auth, AGAIN_MS).keys);
      }
    },
  };
}

async function fetchKeys(http: KeyDeps['http'], { issuer, jwks }: TokenAuth): Promise<JSONWebKeySet> {
  const keys = await fetchJson(http, jwks ?? (await addressOf(http, issuer)));
  if (!Array.isArray(keys['keys'])) throw unusable('it has no list of `keys`');
  return keys as unknown as JSONWebKeySet;
}

async function addressOf(http: KeyDeps['http'], issuer: string): Promise<string> {
  const about = await fetchJson(http, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (about['issuer'] !== issuer) throw unusable(`it describes another issuer than ${issuer}`);
  if (typeof about['jwks_uri'] !== 'string') throw unusable('it has no `jwks_uri`');
  return about['jwks_uri'];
}

async function fetchJson(http: KeyDeps['http'], url: string): Promise<Record<string, unknown>> {
  if (http === undefined) throw new WeftError('bad_params', 'This server fetches no keys of issuers.');
  const request = {
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    body: undefined,
    redirects: 0,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  };
  const { status, body } = await http.send(request, ASKER, AbortSignal.timeout(TIMEOUT_MS));
  const text = new TextDecoder();
  let json = '';
  for await (const piece of body) json += text.decode(piece, { stream: true });
  if (status !== 200) throw unusable(`${url} was answered with ${status}`);
  try {
    const value = JSON.parse(json) as unknown;
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw unusable(`${url} is not a JSON object`);
}

const ASKER = { flow: '', version: '', run: '', node: '', operator: 'trigger.http' };

function unusable(why: string): WeftError {
  return new WeftError('bad_answer', `The keys of the issuer cannot be used: ${why}.`);
}
