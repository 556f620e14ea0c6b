import type { ErrorEntry } from './entry.ts';

/** Outbound calls, and the secrets they carry. */
export const outboundErrors = {
  outbound_invalid: {
    status: 500,
    meaning: 'An outbound request cannot be sent: its address, method or a header is malformed.',
    remedy: 'Fix what the message names; addresses are written https://host/path.',
  },
  outbound_refused: {
    status: 500,
    meaning: 'An outbound request was addressed to a network that flows may not reach.',
    remedy: 'Use a public address, or ask whoever runs the server to add this one to WEFT_OUTBOUND_ALLOW.',
  },
  outbound_failed: {
    status: 502,
    meaning: 'The other side could not be reached, or broke off its answer.',
    remedy: 'Try again; if it keeps failing, check the address and the other side.',
    transient: true,
  },
  outbound_timeout: {
    status: 504,
    meaning: 'The other side did not answer in time.',
    remedy: 'Raise `timeoutMs` of the request, or try again later.',
    transient: true,
  },
  outbound_busy: {
    status: 503,
    meaning: 'Too many calls wait for a connection to the same destination.',
    remedy:
      'Try again later, or raise `queue`, `calls` or `streams` of the destination in WEFT_OUTBOUND_LIMITS.',
    transient: true,
  },
  proxy_failed: {
    status: 502,
    meaning: 'The proxy that requests go out through could not be used.',
    remedy:
      'Check WEFT_PROXY, or `proxy` of the connection, and whether the proxy runs; `weft doctor` asks it.',
    transient: true,
  },
  proxy_refused: {
    status: 502,
    meaning: 'The proxy that requests go out through lets nobody reach this destination.',
    remedy:
      'Ask whoever runs the proxy to allow the host and the port, or name the destination in WEFT_NO_PROXY if it is reached directly.',
  },
  proxy_auth: {
    status: 502,
    meaning: 'The proxy that requests go out through does not accept its user and password.',
    remedy: 'Correct WEFT_PROXY_CREDENTIALS, or `proxyCredentials` of the connection.',
  },
  http_status: {
    status: 502,
    meaning: 'The other side answered with a status that the node counts as a failure.',
    remedy: 'Look at the status and text in the error; `failOn` of the node says which statuses fail.',
  },
  bad_answer: {
    status: 502,
    meaning: 'The other side’s answer does not match its type, or what the node expects.',
    remedy: 'Look at the answer with `response` set to `text`.',
  },
  service_failed: {
    status: 502,
    meaning: 'A service refused a call of a node.',
    remedy: 'The message has the words of the service; `data` has its status and the name of its error.',
  },
  secret_unknown: {
    status: 500,
    meaning: 'A node uses a secret that does not exist.',
    remedy:
      'Make it under *Secrets and variables*, or ask an administrator; WEFT_SECRET_<NAME> in the environment makes one too.',
  },
  secret_not_granted: {
    status: 500,
    meaning: 'A node uses a secret that is not granted to it.',
    remedy:
      'Press *Allow* at the problem of the node, or ask an administrator; secrets of the environment are granted in WEFT_GRANTS.',
  },
  secret_draft: {
    status: 403,
    meaning:
      'A run of an unpublished flow uses a secret without a list of hosts, and its author or the person who started it may not publish.',
    remedy:
      'Publish the flow, list the `hosts` that the secret may be sent to in its grants, or use a key with the scope flows:publish.',
  },
  secret_not_found: {
    status: 404,
    meaning: 'No secret has this name.',
    remedy: 'GET /api/v1/secrets lists the names.',
  },
  secret_read_only: {
    status: 409,
    meaning: 'The secret comes from the environment, so its value cannot be changed here.',
    remedy: 'Change WEFT_SECRET_<NAME> and restart, or use another name.',
  },
} as const satisfies Record<string, ErrorEntry>;
