import { WeftError } from '#engine';
import type { ErrorCode } from '#shared/errors.ts';

/** The longest part of a provider's message that an error repeats, in characters. */
const SHOWN = 500;

/** Errors of the guarded client, in the codes of models. Others keep their code, which is more specific. */
const outboundCodes: Readonly<Record<string, ErrorCode>> = {
  outbound_failed: 'model_unavailable',
  outbound_timeout: 'model_timeout',
  bad_answer: 'model_bad_answer',
  value_too_large: 'model_bad_answer',
};

/** An error that a provider sends within its stream. */
export class StreamError extends Error {
  override readonly name = 'StreamError';
  /** The provider's name for the kind of error. */
  readonly kind: string;

  constructor(sent: unknown) {
    super(saying(sent));
    const { type, code } = (sent ?? {}) as { type?: unknown; code?: unknown };
    this.kind = [code, type].map(String).join(' ');
  }
}

/**
 * The error of a call, in our codes. `failure` is the error of the exchange, if it failed. Messages name the provider
 * and never its address, because callers of chats see them; the network's message is in `data.reason`.
 */
export function modelError(thrown: unknown, failure: unknown, provider: string): unknown {
  const error = failure ?? thrown;
  if (error instanceof WeftError) return ownError(error, provider);
  // The caller's own reason to end the call, which may be any error.
  if (failure !== undefined) return failure;
  if (isApiCall(error)) return refusal(error, provider);
  if (error instanceof StreamError) return streamError(error, provider);
  // Detected before anything is sent: a kind of content that the provider does not support.
  if (error instanceof Error && error.name === 'AI_UnsupportedFunctionalityError')
    return new WeftError(
      'input_unsupported',
      `The provider ${provider} does not accept this: ${saying(error)}`,
      {
        data: { param: 'messages' },
      },
    );
  return new WeftError('model_bad_answer', `The answer of ${provider} cannot be read: ${saying(error)}`);
}

/** Messages for errors whose own message contains the address. */
const unaddressed: Readonly<Record<string, string>> = {
  outbound_failed: 'could not be reached, or closed the connection',
  outbound_timeout: 'took too long',
  bad_answer: 'sent an invalid answer',
  outbound_refused:
    'is at an address where requests may not go; an administrator can allow it in the provider, or with WEFT_OUTBOUND_ALLOW',
  outbound_invalid: 'has an invalid address',
  secret_not_granted: 'receives no key: its secret is not granted to the host of the provider',
};

function ownError(error: WeftError, provider: string): WeftError {
  const shown = unaddressed[error.code];
  const code = outboundCodes[error.code] ?? error.code;
  if (shown === undefined && code === error.code) return error;
  const message = shown === undefined ? error.message : `The provider ${provider} ${shown}.`;
  return new WeftError(code, message, { transient: error.transient, data: { reason: error.message } });
}

function streamError({ message, kind }: StreamError, provider: string): WeftError {
  if (/context_length|invalid_request/.test(kind)) return badRequest(provider, message, kind.split(' ')[0]);
  const code = /rate_limit|429/.test(kind) ? 'model_rate_limited' : 'model_unavailable';
  return new WeftError(code, `${provider} broke its answer off: ${message}`);
}

export function brokenOff(): WeftError {
  return new WeftError('model_unavailable', 'The answer of the model broke off.');
}

/** The SDK's error for an answer with an error status, or for a successful one in the wrong format. */
interface ApiCallError extends Error {
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
}

/** Compares the name: the class is in a package that only the packages of the SDK depend on. */
function isApiCall(error: unknown): error is ApiCallError {
  return error instanceof Error && error.name === 'AI_APICallError';
}

function refusal(error: ApiCallError, provider: string): WeftError {
  const { statusCode: status = 0 } = error;
  const retryAfter = retryAfterOf(error);
  const code = codeOf(status);
  if (code === 'model_bad_request')
    return badRequest(provider, `${status}: ${saying(error)}`, errorIn(error.responseBody));
  const when =
    code === 'model_rate_limited' && retryAfter !== undefined ? ` Retry-After: ${retryAfter}.` : '';
  return new WeftError(code, `${provider} answered with ${status}: ${saying(error)}${when}`, {
    data: { status, ...(retryAfter !== undefined && { retryAfter }) },
  });
}

/** In the form of `Retry-After`, however the provider reports it. */
function retryAfterOf({ responseHeaders = {}, responseBody }: ApiCallError): string | undefined {
  const { 'retry-after': retryAfter, 'retry-after-ms': ms } = responseHeaders;
  const seconds = ms === undefined ? retryDelayIn(responseBody) : Number(ms) / 1000;
  if (retryAfter !== undefined || seconds === undefined || !Number.isFinite(seconds)) return retryAfter;
  return String(Math.max(1, Math.ceil(seconds)));
}

/** The delay in an error of Google, in seconds: `{ "@type": "….RetryInfo", "retryDelay": "37s" }`. */
function retryDelayIn(body: string | undefined): number | undefined {
  const { details } = errorIn(body) as { details?: unknown };
  const delays = (Array.isArray(details) ? (details as unknown[]) : []).map(
    (detail) => (detail as { retryDelay?: unknown } | null)?.retryDelay,
  );
  const delay = delays.find((one) => typeof one === 'string');
  return delay === undefined ? undefined : Number.parseFloat(delay);
}

function codeOf(status: number): ErrorCode {
  if (status < 300) return 'model_bad_answer';
  if (status === 404) return 'model_not_found';
  if (status === 429) return 'model_rate_limited';
  if (status === 400 || status === 413 || status === 422) return 'model_bad_request';
  if (status === 408 || status === 504) return 'model_timeout';
  return status >= 500 || status === 425 ? 'model_unavailable' : 'model_refused';
}

const CODE = /^[a-z][a-z0-9_]{1,63}$/;
/** Messages of providers without a code for a conversation that is too long. */
const TOO_LONG =
  /maximum context length|prompt is too long|input token count|context (?:window|size|length)|exceed_context_size/i;

/** `given` is the provider's own code, or its error. */
function badRequest(
  provider: string,
  shown: string,
  given: string | { readonly code?: unknown; readonly param?: unknown } = {},
): WeftError {
  const { code, param } = typeof given === 'string' ? { code: given, param: undefined } : given;
  const own = typeof code === 'string' && CODE.test(code) ? code : undefined;
  const known = TOO_LONG.test(shown) ? 'context_length_exceeded' : own;
  return new WeftError('model_bad_request', `${provider} refuses the request: ${shown}`, {
    data: {
      status: 400,
      ...(known !== undefined && { code: known }),
      ...(typeof param === 'string' && { param: param.slice(0, 100) }),
    },
  });
}

function errorIn(body = ''): { readonly code?: unknown; readonly param?: unknown } {
  try {
    return (JSON.parse(body) as { error?: object }).error ?? {};
  } catch {
    return {};
  }
}

/** The message of an error within a stream, which is an error, a text, or an object of the provider. */
function saying(error: unknown): string {
  const shown = typeof error === 'string' ? error : (error as { message?: unknown } | null)?.message;
  return (typeof shown === 'string' && shown.trim() !== '' ? shown : 'it states no reason').slice(0, SHOWN);
}
