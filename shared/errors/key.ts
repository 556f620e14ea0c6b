import type { ErrorEntry } from './entry.ts';

/** API keys, and the authentication of triggers. */
export const keyErrors = {
  key_not_found: {
    status: 404,
    meaning: 'No API key has this id or name.',
    remedy: 'GET /api/v1/keys, or `weft keys list`, lists them.',
  },
  key_read_only: {
    status: 409,
    meaning: 'The key comes from WEFT_API_KEYS, so it cannot be revoked here.',
    remedy: 'Take it out of WEFT_API_KEYS and restart the server.',
  },
  signature_invalid: {
    status: 401,
    meaning: 'The request’s signature is malformed, too old, already used, or does not match this body.',
    remedy:
      'Sign the raw body as the message says, with the secret that both sides share, right before sending.',
  },
  auth_not_ready: {
    status: 503,
    meaning:
      'The trigger cannot check its callers: the secret that its `auth` names does not exist or is not granted, or the keys of its issuer cannot be fetched.',
    remedy:
      'For whoever runs the server: the log names the cause. Set the secret and grant it to the operator trigger.http or to the flow, or allow the issuer’s address.',
  },
} as const satisfies Record<string, ErrorEntry>;
