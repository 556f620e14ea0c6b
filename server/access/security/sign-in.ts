import type { Config } from '../../base/config/config.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { Cookies } from './cookies.ts';
import { checkForwarding, checkOrigin } from './origin.ts';
import type { AccessRequest } from './request.ts';
import { equalSecrets, randomSecret } from './secrets.ts';
import { START_TOKEN_MS, type StartTokens } from './start-tokens.ts';
import type { Sessions } from './sessions.ts';
import { createThrottle, type SharedAttempts } from './throttle.ts';
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** Contains the sign-in address if it could not be shown on a terminal at the start. */
export const SIGN_IN_FILE = 'sign-in.txt';

/** The result of signing in, for a browser. */
export interface SignIn {
  /** The session's name, for the audit log. */
  readonly name: string;
  /** Value for a `Set-Cookie` header. */
  readonly cookie: string;
  readonly csrf: string;
}

/** The two ways into a session, and the way out. */
export interface SignIns {
  /**
   * Creates the token of an address that signs in one browser: once, within a quarter of an hour. A new one replaces
   * it, unless several servers know them.
   */
  issueStartToken(): string;
  /** Signs in by the start token; undefined if it is wrong, used or expired. */
  exchangeStartToken(request: AccessRequest, token: string): Promise<SignIn | undefined>;
  /** Signs in by WEFT_ADMIN_PASSWORD, at most five attempts a minute from one `address`. */
  signIn(request: AccessRequest, password: string, address: string): Promise<SignIn>;
  /**
   * Ends the request's session, or the sessions of all browsers. Resolves to the value for a `Set-Cookie` header that
   * removes the cookie. Rejects with `storage_failed`.
   */
  signOut(request: AccessRequest, of?: 'this browser' | 'all'): Promise<string>;
}

interface Deps {
  readonly config: Config;
  readonly cookies: Cookies;
  readonly sessions: Sessions;
  readonly now: () => number;
  /** Reaches the servers that count together with this one. */
  readonly bus?: SharedAttempts['bus'] | undefined;
  /** Tokens that other servers accept too; by default each server knows only its own. */
  readonly startTokens?: StartTokens | undefined;
}

const attemptsPerMinute = 5;

const noPassword =
  'No admin password is set (WEFT_ADMIN_PASSWORD); `weft open`, where the server runs, prints an address that signs in.';

export function createSignIns({ config, cookies, sessions, now, bus, startTokens }: Deps): SignIns {
  const throttle = createThrottle(attemptsPerMinute, now, bus && { bus, what: 'password' });
  const { adminPassword } = config;
  const passwordFits = adminPassword === undefined ? undefined : createPasswordCheck(adminPassword);
  let start: { readonly token: string; readonly endsAt: number } | undefined;

  async function open(): Promise<SignIn> {
    const { token, session } = await sessions.open();
    return { name: session.name, cookie: cookies.write(token), csrf: session.csrf };
  }

  return {
    issueStartToken() {
      if (startTokens !== undefined) return startTokens.issue();
      start = { token: randomSecret(), endsAt: now() + START_TOKEN_MS };
      return start.token;
    },
    async exchangeStartToken(request, token) {
      checkForwarding(request, config);
      if (startTokens !== undefined) return (await startTokens.take(token)) ? await open() : undefined;
      if (start === undefined || now() >= start.endsAt || !equalSecrets(token, start.token)) return undefined;
      // Before the first await, because it works once.
      start = undefined;
      return await open();
    },
    async signIn(request, password, address) {
      checkForwarding(request, config);
      checkOrigin(request, config);
      if (passwordFits === undefined) throw new ServiceError('forbidden', noPassword);
      const waitMs = throttle.attempt(address);
      if (waitMs !== undefined) throw tooManyAttempts(waitMs);
      if (!(await passwordFits(password))) throw new ServiceError('unauthorized', 'The password is wrong.');
      throttle.clear(address);
      return await open();
    },
    async signOut(request, of = 'this browser') {
      if (of === 'all') await sessions.closeAll();
      else await sessions.close(cookies.read(request) ?? '');
      return cookies.remove();
    },
  };
}

function tooManyAttempts(waitMs: number): ServiceError {
  const seconds = Math.ceil(waitMs / 1000);
  return new ServiceError('too_many_requests', `Too many attempts to sign in; try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

/** An address below `origin`, this server's own, that signs in one browser, once, within a quarter of an hour. */
export function signInAddress(
  { access }: { readonly access: Pick<SignIns, 'issueStartToken'> },
  origin: string,
): string {
  const url = new URL('/', origin);
  url.searchParams.set('token', access.issueStartToken());
  return url.href;
}

const derive = promisify<string, Buffer, number, Buffer>(scrypt);
const keyLength = 32;

/** Compares with a password that people choose: slow on purpose (scrypt), and in constant time. */
function createPasswordCheck(password: string): (attempt: string) => Promise<boolean> {
  const salt = randomBytes(16);
  let expected: Promise<Buffer> | undefined;
  return async (attempt) => {
    expected ??= derive(password, salt, keyLength);
    return timingSafeEqual(await derive(attempt, salt, keyLength), await expected);
  };
}
