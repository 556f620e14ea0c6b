import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { Cookies } from './cookies.ts';
import { checkForwarding, checkOrigin } from './origin.ts';
import { createPasswordCheck } from './password.ts';
import type { AccessRequest } from './request.ts';
import { equalSecrets, randomSecret } from './secrets.ts';
import type { Sessions } from './sessions.ts';
import { createThrottle } from './throttle.ts';

/** What a browser gets that signed in. */
export interface SignIn {
  /** The session's, for the audit log. */
  readonly name: string;
  /** Value for a `Set-Cookie` header. */
  readonly cookie: string;
  readonly csrf: string;
}

/** The two ways into a session, and the way out. */
export interface SignIns {
  /** Makes the token of the start address. It signs one browser in, once; a new one replaces it. */
  issueStartToken(): string;
  /** Signs in by the start token; undefined when it is wrong or used up. */
  exchangeStartToken(request: AccessRequest, token: string): SignIn | undefined;
  /** Signs in by WEFT_ADMIN_PASSWORD, at most five attempts a minute from one `address`. */
  signIn(request: AccessRequest, password: string, address: string): Promise<SignIn>;
  /** Ends the request's session. Gives the value for a `Set-Cookie` header that removes the cookie. */
  signOut(request: AccessRequest): string;
}

interface Parts {
  readonly config: Config;
  readonly cookies: Cookies;
  readonly sessions: Sessions;
  readonly now: () => number;
}

const attemptsPerMinute = 5;

const noPassword =
  'No admin password is set (WEFT_ADMIN_PASSWORD); open the address that the server printed when it started.';

export function createSignIns({ config, cookies, sessions, now }: Parts): SignIns {
  const throttle = createThrottle(attemptsPerMinute, now);
  const { adminPassword } = config;
  const passwordFits = adminPassword === undefined ? undefined : createPasswordCheck(adminPassword);
  let startToken: string | undefined;

  function open(): SignIn {
    const { token, session } = sessions.open();
    return { name: session.name, cookie: cookies.write(token), csrf: session.csrf };
  }

  return {
    issueStartToken() {
      startToken = randomSecret();
      return startToken;
    },
    exchangeStartToken(request, token) {
      checkForwarding(request, config);
      if (startToken === undefined || !equalSecrets(token, startToken)) return undefined;
      startToken = undefined;
      return open();
    },
    async signIn(request, password, address) {
      checkForwarding(request, config);
      checkOrigin(request, config);
      if (passwordFits === undefined) throw new ServiceError('forbidden', noPassword);
      const waitMs = throttle.attempt(address);
      if (waitMs !== undefined) throw tooManyAttempts(waitMs);
      if (!(await passwordFits(password))) throw new ServiceError('unauthorized', 'The password is wrong.');
      throttle.clear(address);
      return open();
    },
    signOut(request) {
      sessions.close(cookies.read(request) ?? '');
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
