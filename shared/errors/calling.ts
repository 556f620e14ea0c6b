import type { ErrorEntry } from './entry.ts';

/** Calls that are repeated, that outlive their request, or that exceed a limit. */
export const callingErrors = {
  idempotency_key_invalid: {
    status: 400,
    meaning:
      'The Idempotency-Key is empty, longer than 255 characters, or contains characters that are not printable ASCII.',
    remedy: 'Send a key of 1 to 255 printable ASCII characters, such as a UUID, a new one for each action.',
  },
  idempotency_mismatch: {
    status: 422,
    meaning: 'This Idempotency-Key was sent before, with another request.',
    remedy: 'Send a new key for a new request; a repeat has the same method, address, query and body.',
  },
  idempotency_not_kept: {
    status: 409,
    meaning:
      'The request with this Idempotency-Key was carried out, but its answer is not stored: it was streamed, too large, or contained a secret.',
    remedy: 'Look at the run that the message names; it is not run again.',
  },
  idempotency_run_lost: {
    status: 409,
    meaning:
      'The server stopped while it carried out the first request with this Idempotency-Key, so nobody knows how far that got.',
    remedy:
      'Find out whether the action took effect, then send it with a new key if not. A flow with `settings.durable` continues after a restart.',
  },
  idempotency_full: {
    status: 429,
    meaning: 'The trigger already stores the maximum number of Idempotency-Keys for the last 24 hours.',
    remedy: 'Wait for the seconds in Retry-After, or send the request without a key.',
  },
  rate_limited: {
    status: 429,
    meaning:
      'More calls than the limit of the trigger, the form, the API key or the rate gate allows in its period.',
    remedy: 'Send it again after the seconds in Retry-After, or raise the limit.',
    transient: true,
  },
  too_many_runs: {
    status: 429,
    meaning: 'The flow has as many runs in progress as `settings.maxRuns` allows.',
    remedy: 'Send it again after the seconds in Retry-After, or raise `settings.maxRuns` of the flow.',
  },
} as const satisfies Record<string, ErrorEntry>;
