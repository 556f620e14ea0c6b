import { ServiceError } from '../../base/errors/errors.ts';
import type { ClientAddress } from './client-address.ts';
import type { AccessRequest } from './request.ts';
import { createThrottle, type SharedAttempts } from './throttle.ts';

/**
 * Wrong credentials per minute: too few to guess a key of 16 characters, or for a misconfigured program to fill the
 * log.
 */
const WRONG_A_MINUTE = 100;

/**
 * Limits how many keys and passwords a client can try. A client with too many wrong ones may try none for a while,
 * not even a right one, so that no guess reveals anything; a key that was right before is still accepted.
 */
export interface Guesses {
  /** The refusal of a client that may not try now. Cheap enough for every call. */
  refusal(request: AccessRequest): ServiceError | undefined;
  /** Counts a wrong key or password. */
  wrong(request: AccessRequest): void;
}

interface Deps {
  readonly addressOf: ClientAddress;
  /** Whether this `Authorization` header was valid before, and still is. */
  readonly isProven: (authorization: string) => boolean;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Reaches the servers that count together with this one. */
  readonly bus?: SharedAttempts['bus'] | undefined;
  /** Called for each request that is counted. */
  readonly counted?: (request: AccessRequest) => void;
}

export function createGuesses({ addressOf, isProven, now, bus, counted }: Deps): Guesses {
  const throttle = createThrottle(WRONG_A_MINUTE, now, bus && { bus, what: 'key' });
  const clientOf = (request: AccessRequest): string => addressOf(request) ?? 'local';
  let isQuiet = bus === undefined;
  return {
    refusal(request) {
      const { authorization } = request.headers;
      if (isQuiet || authorization === undefined || isProven(authorization)) return undefined;
      const waitMs = throttle.wait(clientOf(request));
      if (waitMs === undefined) return undefined;
      const seconds = Math.ceil(waitMs / 1000);
      return new ServiceError(
        'too_many_requests',
        `Too many wrong keys or passwords came from this address; try again in ${seconds} s.`,
        { headers: { 'retry-after': String(seconds) } },
      );
    },
    wrong(request) {
      isQuiet = false;
      counted?.(request);
      throttle.attempt(clientOf(request));
    },
  };
}
