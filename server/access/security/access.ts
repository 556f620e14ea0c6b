import type { Config } from '../../base/config/config.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { type Cookies, createCookies } from './cookies.ts';
import { createClientAddress } from './client-address.ts';
import { createGuesses, type Guesses } from './guesses.ts';
import { type ApiKey, createKeyRing, type KeyRecord, type KeyRing } from './key-ring.ts';
import { checkForwarding, checkOrigin, createForwardingNotice } from './origin.ts';
import type { AccessRequest } from './request.ts';
import { type RouteScope, type Scope, scopes } from './scopes.ts';
import { equalSecrets } from './secrets.ts';
import type { SharedAttempts } from './throttle.ts';
import { createSessions, type Session, type SessionDeps, type Sessions } from './sessions.ts';
import { createSignIns, type SignIns } from './sign-in.ts';
import type { StartTokens } from './start-tokens.ts';

/** The sender of a request. */
export interface Caller {
  readonly kind: 'session' | 'key';
  /** For audit and authorship; never a secret. */
  readonly name: string;
  /** The owner of data such as conversations: unique to this key, even against another key of the same name. */
  readonly owner: string;
  readonly scopes: ReadonlySet<Scope>;
  /** How many requests its key may make in a minute; undefined if there is no limit. */
  readonly perMinute?: number | undefined;
  /** A session's token against cross-site requests, sent back as `X-Weft-CSRF`. */
  readonly csrf: string | undefined;
}

/**
 * Decides who may do what. The only place that reads keys and cookies; passwords and signatures of triggers belong to their
 * gate (`auth/gate.ts`).
 * 1. A key in the `Authorization` header takes precedence over a cookie; a cookie never makes up for a wrong key.
 * 2. A cookie counts only for requests of our own pages: the Origin, if there is one, must be ours, and a changing
 *    request must carry the session's CSRF token.
 * 3. Secrets are stored only as hashes, and none leaves through this interface except when it is created.
 */
export interface Access extends SignIns {
  /** The valid API keys. */
  readonly keys: KeyRing;
  /** Counts the wrong credentials of each client. */
  readonly guesses: Guesses;
  /**
   * Reads the request's session if memory does not know it recently enough; undefined if there is nothing to wait for.
   * To be awaited before the other methods that take a request. Rejects with `storage_failed`.
   */
  ready(request: AccessRequest): Promise<void> | undefined;
  /** The caller of the request by its key or cookie; undefined without valid credentials. Throws if rule 2 is broken. */
  ofRequest(request: AccessRequest): Caller | undefined;
  /** The caller, if it may do `scope`; otherwise throws `unauthorized` or `forbidden`. */
  require(request: AccessRequest, scope: Exclude<RouteScope, 'public' | 'trigger-auth'>): Caller;
  /** Whether the `Authorization` header carries a key with this scope. Cheap enough for every trigger call. */
  keyHasScope(authorization: string | undefined, scope: Scope): boolean;
  /** Whether the caller with this name (`Caller.owner`) may do `scope` now; a revoked or expired key may do nothing. */
  ownerHasScope(owner: string, scope: Scope): boolean;
  /** For websockets: a session cookie with our own Origin, or a key in the `Authorization` header. Awaits `ready`. */
  authorizeUpgrade(request: AccessRequest, scope: Scope): Promise<Caller | ServiceError>;
}

/** Everyone who can sign in is the owner of the server, in this session and the next. */
export const BROWSER = 'browser';
/** The user of the command line in the data folder. */
export const COMMAND_LINE = 'command line' as const;
const ownerScopes: ReadonlySet<Scope> = new Set(scopes);
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

interface AccessDeps extends Omit<SessionDeps, 'now'> {
  /** Whether rights may have been revoked without this server knowing it. */
  readonly isStale?: () => boolean;
  /** Reaches the servers that count wrong keys and passwords together with this one. */
  readonly bus?: SharedAttempts['bus'] | undefined;
  /** The servers that share a database with this one; their requests are on behalf of callers that they have admitted. */
  readonly peers?:
    | { asks(request: AccessRequest): boolean; callerOf(request: AccessRequest): Caller | undefined }
    | undefined;
  readonly startTokens?: StartTokens | undefined;
}

/**
 * `keys` are the stored ones; those of the configuration are added. Without a store, sessions end with
 * the process.
 */
export function createAccess(
  config: Config,
  keys: readonly KeyRecord[],
  now: () => number = Date.now,
  { isStale = () => false, peers, bus, startTokens, ...stored }: AccessDeps = {},
): Access {
  const ring = createKeyRing(config.apiKeys, keys, now);
  const addressOf = createClientAddress(config.trustProxy);
  const noteForwarding = createForwardingNotice(config, (text) => stored.warn?.(undefined, text));
  const guesses = createGuesses({ addressOf, isProven: ring.isProven, now, bus, counted: noteForwarding });
  const cookies = createCookies(config);
  const sessions = createSessions({ now, ...stored });

  // A session that cannot be read is not waited for but refused.
  const ready = (request: AccessRequest) => (isStale() ? undefined : refreshed(sessions, cookies, request));

  function ofRequest(request: AccessRequest): Caller | undefined {
    if (peers?.asks(request) === true) return peers.callerOf(request);
    const { authorization, cookie } = request.headers;
    if ((authorization ?? cookie) !== undefined && isStale()) throw new ServiceError('database_stale');
    if (authorization !== undefined) return ofKey({ guesses, ring }, request, authorization);
    const session = sessions.find(cookies.read(request) ?? '');
    if (session === undefined) return undefined;
    checkOrigin(request, config);
    if (!safeMethods.has(request.method ?? 'GET')) checkCsrf(request, session);
    const { name, csrf } = session;
    return { kind: 'session', name, owner: BROWSER, scopes: ownerScopes, csrf };
  }

  function requireScope(request: AccessRequest, scope: Scope | 'session'): Caller {
    noteForwarding(request);
    checkForwarding(request, config);
    const caller = ofRequest(request);
    if (caller === undefined) {
      if (request.headers.authorization !== undefined) guesses.wrong(request);
      throw unauthorized(request, config, ring);
    }
    if (scope === 'session' ? caller.kind === 'session' : caller.scopes.has(scope)) return caller;
    throw new ServiceError('forbidden', lacking(scope));
  }

  return {
    keys: ring,
    guesses,
    ...createSignIns({ config, cookies, sessions, now, bus, startTokens }),
    ready,
    ofRequest,
    require: requireScope,
    keyHasScope: (authorization, scope) =>
      !isStale() && (ring.find(authorization)?.scopes.has(scope) ?? false),
    ownerHasScope: (owner, scope) =>
      owner === BROWSER || owner === COMMAND_LINE || (ring.scopesOf(owner)?.has(scope) ?? false),
    authorizeUpgrade: (request, scope) =>
      callerOrRefusal(async () => {
        await ready(request);
        const caller = requireScope(request, scope);
        if (caller.kind === 'session' && peers?.asks(request) !== true)
          checkOrigin(request, config, 'required');
        return caller;
      }),
  };
}

/** A key takes precedence, so only a request without one waits for its session. */
function refreshed(sessions: Sessions, cookies: Cookies, request: AccessRequest): Promise<void> | undefined {
  if (request.headers.authorization !== undefined || request.headers.cookie === undefined) return undefined;
  return sessions.refresh(cookies.read(request) ?? '');
}

async function callerOrRefusal(find: () => Promise<Caller>): Promise<Caller | ServiceError> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Throws `too_many_requests` for a client that has tried too many. */
function ofKey(
  { guesses, ring }: { readonly guesses: Guesses; readonly ring: KeyRing },
  request: AccessRequest,
  authorization: string,
): Caller | undefined {
  const refusal = guesses.refusal(request);
  if (refusal !== undefined) throw refusal;
  const key = ring.find(authorization);
  return key && callerBy(key);
}

function callerBy({ name, owner, scopes: own, perMinute }: ApiKey): Caller {
  return { kind: 'key', name, owner, scopes: own, perMinute, csrf: undefined };
}

function checkCsrf(request: AccessRequest, session: Session): void {
  const sent = request.headers['x-weft-csrf'];
  if (typeof sent !== 'string' || !equalSecrets(sent, session.csrf)) throw new ServiceError('csrf_missing');
}

const howToAuthenticate =
  'Send `Authorization: Bearer <API key>`, or sign in with a browser: `weft open`, where the server runs, prints an address for it.';

const byPassword = {
  type: 'sign_in_by_password',
  loc: ['cookie'],
  msg: 'Browsers can sign in with the admin password: POST /api/v1/session.',
};

/** `detail` shows whether a password is set: the editor then asks for it. */
function unauthorized(
  { headers: { authorization } }: AccessRequest,
  { adminPassword }: Config,
  keys: KeyRing,
): ServiceError {
  const message = authorization === undefined ? howToAuthenticate : wrongKey(keys, authorization);
  return new ServiceError('unauthorized', message, {
    headers: { 'www-authenticate': 'Bearer realm="weft"' },
    ...(adminPassword !== undefined && { detail: [byPassword] }),
  });
}

/** Explains why a header matches no key. */
export function wrongKey(keys: Pick<KeyRing, 'expiredAt'>, authorization: string): string {
  const end = keys.expiredAt(authorization);
  if (end !== undefined) return `The key in the Authorization header expired at ${end}; use a new one.`;
  return 'The key in the Authorization header is not valid; it must read `Bearer <API key>`.';
}

function lacking(scope: Scope | 'session'): string {
  if (scope === 'session') return 'This is for signed-in browsers only; a key is not enough.';
  return `The key lacks the scope \`${scope}\`; create one that has it: weft keys create <name> --scopes ${scope}`;
}
