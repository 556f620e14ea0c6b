import type { ErrorEntry } from './entry.ts';

/** Errors that answer an HTTP request. */
export const requestErrors = {
  invalid_request: {
    status: 400,
    meaning: 'The request does not match what the route takes.',
    remedy: 'Fix what `detail` lists; it names every problem.',
  },
  invalid_json: {
    status: 400,
    meaning: 'The body is not valid JSON, or has a whole number that would lose digits.',
    remedy: 'Send valid UTF-8 JSON; `detail` gives the place of the error.',
  },
  invalid_encoding: {
    status: 400,
    meaning: 'The body is not valid UTF-8.',
    remedy: 'Encode the text as UTF-8.',
  },
  too_deep: {
    status: 400,
    meaning: 'The JSON is nested deeper than 200 levels.',
    remedy: 'Flatten the value.',
  },
  too_many_values: {
    status: 413,
    meaning: 'The JSON or the form has more names or values than the server accepts.',
    remedy: 'Send less at once, or a flow as `text`; a trigger can accept more (its param `limits`).',
  },
  unauthorized: {
    status: 401,
    meaning: 'No valid key or session came with the request.',
    remedy: 'Send `Authorization: Bearer <API_KEY>`, or sign in to the editor.',
  },
  forbidden: {
    status: 403,
    meaning: 'The key or session does not have the permission.',
    remedy: 'Use a key with the scope that the message names.',
  },
  bad_host: {
    status: 403,
    meaning: 'The Host header names an address that this server does not serve.',
    remedy: 'Use the address that the server printed, or add the name to WEFT_ALLOWED_HOSTS.',
  },
  bad_origin: {
    status: 403,
    meaning: 'A page of another origin made the request with your session.',
    remedy: 'Use an API key, or call from the editor itself.',
  },
  wrong_origin: {
    status: 421,
    meaning:
      'The address belongs to the other origin: on this server flows have their own origin, apart from the editor and the API.',
    remedy:
      'Send triggers and wait pages to WEFT_TRIGGER_ORIGIN, and everything else to the address that the server printed.',
  },
  csrf_missing: {
    status: 403,
    meaning: 'A changing request with a session cookie lacks its CSRF token.',
    remedy: 'Send the value of GET /api/v1/session as X-Weft-CSRF.',
  },
  not_found: { status: 404, meaning: 'There is nothing at this address.', remedy: 'Check the path.' },
  flow_not_found: {
    status: 404,
    meaning: 'No flow has this id.',
    remedy: 'GET /api/v1/flows lists the ids.',
  },
  run_not_found: {
    status: 404,
    meaning: 'No run with this id is known; it may no longer be in the history.',
    remedy: 'GET /api/v1/runs lists the stored runs.',
  },
  template_not_found: {
    status: 404,
    meaning: 'There is no such template.',
    remedy: 'GET /api/v1/templates lists them.',
  },
  version_not_found: {
    status: 404,
    meaning: 'This flow has no such version.',
    remedy: 'GET /api/v1/flows/{id}/versions lists them.',
  },
  variable_not_found: {
    status: 404,
    meaning: 'No variable has this name.',
    remedy: 'GET /api/v1/variables lists them.',
  },
  trigger_not_found: {
    status: 404,
    meaning: 'No live flow has a trigger at this path.',
    remedy: 'Check the path, and that the flow is live: GET /api/v1/flows.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The address exists, but not for this method.',
    remedy: 'Use a method that the `Allow` header lists.',
  },
  conflict: {
    status: 409,
    meaning: 'It exists already, or has changed since you read it.',
    remedy: 'Read it again, then repeat the change.',
  },
  revision_conflict: {
    status: 409,
    meaning: 'The flow was changed since you read it.',
    remedy: 'Read it again (its `revision` is in the answer) and merge your change.',
  },
  publish_conflict: {
    status: 409,
    meaning: 'Another live flow serves the same path and method.',
    remedy: 'Change the path of one of the two flows that the message names.',
  },
  hidden_input: {
    status: 409,
    meaning: 'The stored input is incomplete, because passwords and write-only fields are not stored.',
    remedy: 'Send the whole input, with the values of those fields.',
  },
  flow_invalid: {
    status: 422,
    meaning: 'The flow has problems that keep it from going live.',
    remedy: 'Fix the problems that `detail` lists.',
  },
  body_too_large: {
    status: 413,
    meaning: 'The body is larger than the limit.',
    remedy: 'Send less, or raise the limit of the trigger (its param `limits`), otherwise WEFT_BODY_LIMIT.',
  },
  headers_too_large: {
    status: 431,
    meaning: 'The headers are larger than the limit.',
    remedy: 'Send fewer or shorter headers.',
  },
  uri_too_long: {
    status: 414,
    meaning: 'The address is longer than the limit.',
    remedy: 'Send the data in a POST body.',
  },
  unsupported_import: {
    status: 422,
    meaning: 'The file is an export of another product whose flows Weft does not import.',
    remedy:
      '`weft import` and POST /api/v1/imports read flows of n8n and Dify, this route those of DB-GPT (AWEL). Draw others by hand.',
  },
  unsupported_media_type: {
    status: 415,
    meaning: 'This route does not read bodies of this type.',
    remedy: 'Use a Content-Type that the message names.',
  },
  too_many_connections: {
    status: 503,
    meaning: 'Too many connections are open from this address.',
    remedy: 'Close or reuse some; the owner can raise WEFT_MAX_CONNECTIONS.',
    transient: true,
  },
  too_many_requests: {
    status: 429,
    meaning: 'Too many requests in a short time.',
    remedy: 'Wait for the seconds in Retry-After.',
  },
  request_timeout: {
    status: 408,
    meaning: 'The request did not arrive in time.',
    remedy: 'Send it faster, in one go.',
    transient: true,
  },
  read_only: {
    status: 403,
    meaning: 'This server is read-only.',
    remedy: 'Start it with WEFT_EDITOR=on to edit.',
  },
  storage_failed: {
    status: 503,
    meaning: 'The server could not write to its disk; the previous state is intact.',
    remedy: 'Free space or repair permissions, then try again.',
    transient: true,
  },
  disk_low: {
    status: 503,
    meaning:
      'The disk of the server is nearly full: no more files are stored, so that flows and runs still can be.',
    remedy:
      'Free space on the disk, or lower WEFT_RUNS_SIZE or WEFT_RUNS_DAYS; `weft doctor` shows what takes it. WEFT_DISK_RESERVE says how much stays free.',
    transient: true,
  },
  overloaded: {
    status: 503,
    meaning: 'The server has as many runs, or as many bytes of requests, as it can handle.',
    remedy: 'Try again after the seconds in Retry-After.',
    transient: true,
  },
  draining: {
    status: 503,
    meaning: 'The server is shutting down.',
    remedy: 'Try again after the seconds in Retry-After.',
    transient: true,
  },
  internal: {
    status: 500,
    meaning: 'A bug in the server; it was logged with the request id.',
    remedy: 'Report it with the request id.',
  },
} as const satisfies Record<string, ErrorEntry>;
