import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { WeftError } from '#engine';
import {
  type BasicAuth,
  credentialHeader,
  type HeaderAuth,
  headersToSend,
  type KeyedTokenAuth,
  type SignatureAuth,
  type TokenAuth,
  type TriggerAuth,
} from '#shared/trigger-auth.ts';
import type { ProviderHttp } from '../../../base/outbound/client.ts';
import { lazy } from '../../../base/parts/lazy.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import { type Access, wrongKey } from '../access.ts';
import type { SecretStore } from '../../../base/secrets/store.ts';
import type { ApiKey } from '../key-ring.ts';
import { invalid, provenMac, readClaim } from './signature.ts';
import { equalSecrets } from '../secrets.ts';
import type { TokenCheck } from './token.ts';
import { createSpent, type SpentSignatures } from './spent.ts';

/** The remaining checks of a signed request, once its body has arrived. */
export interface Signed {
  /** Throws `signature_invalid` unless these raw bytes were signed. Do not parse the body before. */
  check(body: Uint8Array): void;
  /**
   * Uses the request up, before it starts a run: from now on it starts no other one, on any server. Throws or rejects with
   * `signature_invalid` if another request was quicker, and with `storage_failed`; returns undefined if there is nothing to wait for.
   */
  spend(): Promise<void> | undefined;
  /** The request started no run after all, and may be sent again. */
  giveBack(): void;
}

/**
 * Admits callers of triggers, each trigger by its own `auth`.
 * 1. Without a setting a trigger requires a key; an unknown setting admits no one.
 * 2. Secrets are compared in a time that reveals nothing about them.
 * 3. A signature is checked over the received bytes, before they are read.
 */
export interface TriggerGate {
  /**
   * Whether it is open, or the caller has a key. Cheap enough for every call, and without an error: `admit` handles the rest,
   * and gives the reason.
   */
  isOpen(endpoint: Guarded, request: Pick<IncomingMessage, 'headers' | 'socket'>): boolean;
  /**
   * Throws unless the request may continue: `unauthorized`, `forbidden`, `signature_invalid`, `auth_not_ready`,
   * `too_many_requests`. A signed request may continue only as far as its body; the returned check has to be called
   * then. A token is checked in a promise, which rejects with the same errors.
   */
  admit(endpoint: Guarded, request: FastifyRequest): Signed | undefined | Promise<Claims>;
  /** The caller's key, if the trigger uses keys. Cheap enough for every call. */
  keyOf(endpoint: Guarded, request: Pick<IncomingMessage, 'headers'>): ApiKey | undefined;
  /** The owner of the caller's data; the same for all callers without a key. */
  callerOf(request: Pick<IncomingMessage, 'headers'>): string;
}

/** The facts about a trigger that the gate needs. */
export interface Guarded {
  readonly route: { readonly flow: { readonly id: string }; readonly node: string };
  /** Undefined for an unknown setting: no one may call it. */
  readonly auth: TriggerAuth | undefined;
}

/** What a JSON Web Token says: its subject as `sub`, and so on. */
export type Claims = Readonly<Record<string, unknown>>;

export interface GateDeps {
  readonly access: Pick<Access, 'keyHasScope' | 'ofRequest' | 'keys' | 'guesses'>;
  readonly secrets: Pick<SecretStore, 'use'>;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Fetches the keys of issuers of tokens. Without it no token of an issuer is accepted. */
  readonly http?: Pick<ProviderHttp, 'send'> | undefined;
  /** By default in memory. */
  readonly spent?: SpentSignatures | undefined;
}

const OPERATOR = 'trigger.http';
/** Strangers may call a trigger that is not ready, and must not fill the log. In milliseconds. */
const WARN_AGAIN_MS = 60_000;

export function createTriggerGate({ access, secrets, now, http, ...deps }: GateDeps): TriggerGate {
  const spent = deps.spent ?? createSpent(now);
  const tokens = lazy(async () => (await import('./token.ts')).createTokenCheck({ now, http }));
  const uses = createSecretUses(secrets, now);
  const { secretOf } = uses;
  const assertSent = sentChecker(access, uses);
  const claimsOf = claimsReader(access, uses, tokens);

  const isOpen: TriggerGate['isOpen'] = ({ auth }, request) =>
    auth === 'none' ||
    (auth === 'api-key' &&
      access.guesses.refusal(request) === undefined &&
      access.keyHasScope(request.headers.authorization, 'triggers'));

  function signed(endpoint: Guarded, auth: SignatureAuth, request: FastifyRequest): Signed {
    assertSigned(request.method);
    const claim = readClaim(auth, request.headers, now());
    const { flow, node } = endpoint.route;
    const read = (body: Uint8Array): Buffer =>
      provenMac(auth, claim, secretOf(endpoint, auth.secret.$secret, request), body);
    const cameBefore = (): ServiceError => invalid(auth, 'This very request came before');
    return createSigned(spent, { name: `${flow.id} ${node}`, endsAt: claim.endsAt, read, cameBefore });
  }

  return {
    isOpen,
    keyOf: ({ auth }, { headers }) =>
      auth === 'api-key' ? access.keys.find(headers.authorization) : undefined,
    callerOf: ({ headers }) => access.keys.find(headers.authorization)?.owner ?? 'anyone',
    admit(endpoint, request) {
      if (isOpen(endpoint, request.raw)) return undefined;
      const { auth } = endpoint;
      if (auth === 'api-key') throw keyRefused(access, request);
      if (typeof auth !== 'object') throw new ServiceError('forbidden', notUnderstood);
      if (auth.type === 'hmac') return signed(endpoint, auth, request);
      if (auth.type === 'jwt' || auth.type === 'jwt-secret') return claimsOf(endpoint, auth, request);
      assertSent(endpoint, auth, request);
      return undefined;
    },
  };
}

interface SecretUses {
  warn(endpoint: Guarded, problem: string, request: FastifyRequest): void;
  /** Throws `auth_not_ready`. */
  secretOf(endpoint: Guarded, name: string, request: FastifyRequest): string;
}

/** The secrets that triggers name, and warnings about those that they lack. */
function createSecretUses(secrets: GateDeps['secrets'], now: () => number): SecretUses {
  const warnedAt = new WeakMap<Guarded, number>();

  function warn(endpoint: Guarded, problem: string, request: FastifyRequest): void {
    const warned = warnedAt.get(endpoint);
    if (warned !== undefined && now() < warned + WARN_AGAIN_MS) return;
    warnedAt.set(endpoint, now());
    const { flow, node } = endpoint.route;
    const facts = { flow: flow.id, node, reqId: request.id, problem };
    request.log.error(facts, 'a trigger cannot check its callers');
  }

  function secretOf(endpoint: Guarded, name: string, request: FastifyRequest): string {
    const { id: flow } = endpoint.route.flow;
    try {
      return secrets.use(name, { flow, operator: OPERATOR });
    } catch (error) {
      if (!(error instanceof WeftError)) throw error;
      warn(endpoint, error.message, request);
      throw new ServiceError('auth_not_ready');
    }
  }

  return { warn, secretOf };
}

type SentChecker = (endpoint: Guarded, auth: BasicAuth | HeaderAuth, request: FastifyRequest) => void;

/** Checks what a caller sends as it is: a wrong one counts as a guess. */
function sentChecker(access: GateDeps['access'], { secretOf }: SecretUses): SentChecker {
  return (endpoint, auth, request) => {
    const secret = secretOf(endpoint, auth.secret.$secret, request);
    const tooMany = access.guesses.refusal(request);
    if (tooMany !== undefined) throw tooMany;
    const sent = auth.type === 'basic' ? request.headers.authorization : headerOf(auth, request);
    const fits = auth.type === 'basic' ? fitsBasic(auth, secret, sent) : equalSecrets(sent ?? '', secret);
    if (fits) return;
    if (sent !== undefined) access.guesses.wrong(request);
    throw auth.type === 'basic' ? basicRefused(auth, sent) : headerRefused(auth, sent);
  };
}

type Tokens = () => Promise<TokenCheck>;

function claimsReader(access: GateDeps['access'], { secretOf, warn }: SecretUses, tokens: Tokens) {
  return async (
    endpoint: Guarded,
    auth: TokenAuth | KeyedTokenAuth,
    request: FastifyRequest,
  ): Promise<Claims> => {
    const tooMany = access.guesses.refusal(request);
    if (tooMany !== undefined) throw tooMany;
    const { authorization } = request.headers;
    const secret = auth.type === 'jwt-secret' ? secretOf(endpoint, auth.secret.$secret, request) : undefined;
    const found = await (await tokens()).check(auth, authorization, secret);
    if ('claims' in found) return found.claims;
    if ('problem' in found) {
      warn(endpoint, found.problem, request);
      throw new ServiceError('auth_not_ready');
    }
    if (authorization !== undefined) access.guesses.wrong(request);
    throw tokenRefused(auth, found.refused);
  };
}

interface SignedRequest {
  /** The name of the trigger. */
  readonly name: string;
  /** Undefined if no time is signed: then it may be sent again. */
  readonly endsAt: number | undefined;
  /** Throws `signature_invalid` unless this body was signed. */
  read(body: Uint8Array): Buffer;
  cameBefore(): ServiceError;
}

function createSigned(spent: SpentSignatures, { name, endsAt, read, cameBefore }: SignedRequest): Signed {
  let key: string | undefined;
  return {
    check(body) {
      const mac = read(body);
      if (endsAt === undefined) return;
      key = `${name} ${mac.toString('base64')}`;
      if (spent.isKnown(key)) throw cameBefore();
    },
    spend() {
      if (key === undefined || endsAt === undefined) return undefined;
      const isNew = spent.spend(key, endsAt);
      if (isNew === false) throw cameBefore();
      if (isNew === true) return undefined;
      return isNew.then((mayStart) => {
        if (!mayStart) throw cameBefore();
      });
    },
    giveBack() {
      if (key !== undefined) spent.giveBack(key);
    },
  };
}

const notUnderstood =
  'This trigger uses an authentication that this server does not know, so no one may call it.';

/** The address is not signed: a reader of one such request could change it at will. */
function assertSigned(method: string): void {
  if (method === 'POST' || method === 'PUT' || method === 'PATCH') return;
  throw new ServiceError(
    'forbidden',
    `This trigger takes signed requests, and a signature covers the body, and ${method} has no body; use POST.`,
  );
}

function keyRefused(access: GateDeps['access'], request: FastifyRequest): ServiceError {
  const { authorization } = request.headers;
  const tooMany = access.guesses.refusal(request);
  if (tooMany !== undefined) return tooMany;
  if (authorization !== undefined && access.ofRequest(request)) {
    return new ServiceError('forbidden', 'The key lacks the scope `triggers`.');
  }
  if (authorization !== undefined) access.guesses.wrong(request);
  const what =
    authorization === undefined ? 'This trigger needs an API key.' : wrongKey(access.keys, authorization);
  return new ServiceError(
    'unauthorized',
    `${what} Send \`Authorization: Bearer <API_KEY>\` with a key that has the scope \`triggers\`.`,
    { headers: { 'www-authenticate': 'Bearer realm="weft"' } },
  );
}

/** Whether an `Authorization` header carries this user and password (RFC 7617, UTF-8). */
function fitsBasic({ user }: BasicAuth, password: string, authorization: string | undefined): boolean {
  const sent = /^basic +([\w+/-]+={0,2}) *$/i.exec(authorization ?? '')?.[1];
  return (
    sent !== undefined && equalSecrets(Buffer.from(sent, 'base64').toString('utf8'), `${user}:${password}`)
  );
}

function basicRefused(auth: BasicAuth, authorization: string | undefined): ServiceError {
  const what =
    authorization === undefined
      ? 'This trigger needs a user name and a password'
      : 'The user name or the password is wrong, or they are not written as HTTP defines';
  return new ServiceError('unauthorized', `${what}: send \`${headersToSend(auth)[0]}\`.`, {
    headers: { 'www-authenticate': 'Basic realm="weft", charset="UTF-8"' },
  });
}

/** The value of the header; undefined if it was sent twice, since one of them is somebody else's. */
function headerOf(auth: HeaderAuth, { headers }: FastifyRequest): string | undefined {
  const sent = headers[credentialHeader(auth) as string];
  return typeof sent === 'string' ? sent : undefined;
}

function headerRefused(auth: HeaderAuth, sent: string | undefined): ServiceError {
  const what = sent === undefined ? 'This trigger needs a secret in a header' : 'The secret is wrong';
  return new ServiceError('unauthorized', `${what}: send \`${headersToSend(auth)[0]}\`.`);
}

function tokenRefused(auth: TokenAuth | KeyedTokenAuth, why: string): ServiceError {
  return new ServiceError('unauthorized', `${why}: send \`${headersToSend(auth)[0]}\`.`, {
    headers: { 'www-authenticate': 'Bearer realm="weft", error="invalid_token"' },
  });
}
