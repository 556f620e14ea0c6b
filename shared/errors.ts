/**
 * The one table of error codes: what a caller can get, over HTTP, in a run event or from the CLI.
 * The code is the contract, the text is not. `docs/reference/errors.md` is generated from it.
 */
export interface ErrorEntry {
  /** HTTP status when the error is the answer to a request. */
  readonly status: number;
  readonly meaning: string;
  readonly remedy: string;
  /** May succeed when tried again unchanged; `retry` on a node tries only these. */
  readonly transient?: boolean;
}

const table = {
  // The request
  invalid_request: {
    status: 400,
    meaning: 'The request does not fit what the route takes.',
    remedy: 'Mend what `detail` lists; it names every problem.',
  },
  invalid_json: {
    status: 400,
    meaning: 'The body is not valid JSON.',
    remedy: 'Send valid UTF-8 JSON; `detail` says where it breaks.',
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
  unauthorized: {
    status: 401,
    meaning: 'No valid key or session came with the request.',
    remedy: 'Send `Authorization: Bearer <API_KEY>`, or sign in to the editor.',
  },
  forbidden: {
    status: 403,
    meaning: 'The key or session may not do this.',
    remedy: 'Use a key with the scope that the message names.',
  },
  bad_host: {
    status: 403,
    meaning: 'The Host header names an address this server does not answer to.',
    remedy: 'Use the address that the server printed, or add the name to WEFT_ALLOWED_HOSTS.',
  },
  bad_origin: {
    status: 403,
    meaning: 'A page of another origin made the request with your session.',
    remedy: 'Use an API key, or call from the editor itself.',
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
    meaning: 'No run with this id is known; it may have left the history.',
    remedy: 'GET /api/v1/runs lists the runs that are kept.',
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
    remedy: 'Use a method of the `Allow` header.',
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
  flow_invalid: {
    status: 422,
    meaning: 'The flow has problems that keep it from going live.',
    remedy: 'Mend the problems that `detail` lists.',
  },
  body_too_large: {
    status: 413,
    meaning: 'The body is larger than the limit.',
    remedy: 'Send less, or raise WEFT_BODY_LIMIT.',
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
  unsupported_media_type: {
    status: 415,
    meaning: 'The body is of a type this route does not read.',
    remedy: 'Use a Content-Type that the message names.',
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
    meaning: 'This server serves flows but does not change them.',
    remedy: 'Start it with WEFT_EDITOR=on to edit.',
  },
  storage_failed: {
    status: 503,
    meaning: 'The server could not write to its disk; the old state is intact.',
    remedy: 'Free space or repair permissions, then repeat.',
    transient: true,
  },
  overloaded: {
    status: 503,
    meaning: 'The server has more runs than it can take on.',
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

  // The run
  run_timeout: {
    status: 504,
    meaning: 'The run took longer than its limit.',
    remedy: 'Raise `settings.timeoutMs` of the flow, or make it faster.',
  },
  run_cancelled: {
    status: 499,
    meaning: 'The run was cancelled.',
    remedy: 'Start it again if it was not meant to be.',
  },
  node_timeout: {
    status: 504,
    meaning: 'A node took longer than its `timeoutMs`.',
    remedy: 'Raise the limit of the node, or give it a retry.',
    transient: true,
  },
  node_failed: {
    status: 500,
    meaning: 'A node failed with an error of its own.',
    remedy: 'Look at the run: it shows the node, its input and its error.',
    transient: true,
  },
  bad_params: {
    status: 500,
    meaning: 'A param came out of its expression with a value that the operator does not take.',
    remedy: 'Mend the expression in the field that the error names.',
  },
  bad_output: {
    status: 500,
    meaning: 'A node gave an output that it does not have.',
    remedy: 'Mend the operator.',
  },
  bad_operator: {
    status: 500,
    meaning: 'An operator file breaks a rule for operators, so it was left out.',
    remedy: 'Mend what the message lists; docs/operators.md has the rules.',
  },
  bad_fallback: {
    status: 500,
    meaning: 'The fallback of a node does not fit its outputs.',
    remedy: 'Mend `fallback` of the node.',
  },
  bad_input: {
    status: 422,
    meaning: 'A node got a value it cannot work with.',
    remedy: 'Look at the run: it shows the node and its input.',
  },
  stopped: {
    status: 422,
    meaning: 'The flow stopped itself with an error.',
    remedy: 'The message is the flow author’s.',
  },
  missing_field: {
    status: 422,
    meaning: 'An expression read a field that is not there.',
    remedy: 'Write `a?.b` or `a ?? fallback` where the field may be missing.',
  },
  node_skipped: {
    status: 422,
    meaning: 'An expression read the output of a node that was skipped.',
    remedy: 'Write `nodes.x?.…` where the node may be skipped.',
  },
  expression_type: {
    status: 422,
    meaning: 'An expression used a value of the wrong type.',
    remedy: 'Convert it, e.g. with `number(…)` or `string(…)`.',
  },
  expression_budget: {
    status: 422,
    meaning: 'An expression needed more than 100,000 steps or 1 MB of text.',
    remedy: 'Do the heavy part in an operator or code node.',
  },
  bad_number: {
    status: 422,
    meaning: 'A number that is not finite (NaN, Infinity) would have been written as text or JSON.',
    remedy: 'Guard the division or conversion that made it.',
  },
  bad_response: {
    status: 500,
    meaning: 'The flow answered with a status or header that cannot be sent.',
    remedy: 'Mend the respond node, or `response` of the trigger, as the message says.',
  },
  second_response: {
    status: 500,
    meaning: 'Two respond nodes fired in one run.',
    remedy: 'Put them on exclusive branches.',
  },
  ambiguous_result: {
    status: 500,
    meaning: 'Several leaves were live at the end, so the result is not defined.',
    remedy: 'Join or merge them, or add a respond node.',
  },
  value_too_large: {
    status: 413,
    meaning: 'A value is larger than 10 MB as JSON.',
    remedy: 'Pass less through the flow.',
  },
  too_many_items: {
    status: 422,
    meaning: 'A stream gave more items than the node collects.',
    remedy: 'Raise `maxItems` of the node, or end the stream earlier.',
  },
  not_serialisable: {
    status: 500,
    meaning: 'A value cannot be written as JSON (a cycle, a function, a BigInt).',
    remedy: 'Return plain JSON values from the node.',
  },
  stream_buffer_full: {
    status: 500,
    meaning: 'Two consumers of one stream wait for each other and the buffer reached its limit.',
    remedy: 'Collect the stream before one of them.',
  },
  stream_not_read: {
    status: 500,
    meaning: 'A stream arrived where a value is needed.',
    remedy: 'Insert a collect node (`core.unstreamify`).',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof table;

export const errorTable: Readonly<Record<ErrorCode, ErrorEntry>> = table;

/** The table's row for a code, also for codes that come from operators and are not in it. */
export function errorEntry(code: string): ErrorEntry | undefined {
  return Object.hasOwn(table, code) ? errorTable[code as ErrorCode] : undefined;
}
