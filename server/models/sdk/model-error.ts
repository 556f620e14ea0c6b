import { WeftError } from '#engine';
import type { ErrorCode } from '#shared/errors.ts';

/** Longest part of what a provider said that an error repeats, in characters. */
const SHOWN = 500;

/** What the guarded client throws, as models say it. What is not here keeps its code: it tells best what to do. */
const outboundCodes: Readonly<Record<string, ErrorCode>> = {
  outbound_failed: 'model_unavailable',
  outbound_timeout: 'model_timeout',
  bad_answer: 'model_bad_answer',
  value_too_large: 'model_bad_answer',
};

/** The error of a call, in our codes. `failure` is what the exchange failed with, if it did. */
export function modelError(thrown: unknown, failure: unknown, provider: string): unknown {
  const error = failure ?? thrown;
  if (error instanceof WeftError) {
    const code = outboundCodes[error.code];
    return code === undefined ? error : new WeftError(code, error.message, { transient: error.transient });
  }
  // The caller's own reason to end the call, which need not be an error of ours.
  if (failure !== undefined) return failure;
  if (isApiCall(error)) return refusal(error, provider);
  return new WeftError('model_bad_answer', `The answer of ${provider} cannot be read: ${saying(error)}`);
}

export function brokenOff(): WeftError {
  return new WeftError('model_unavailable', 'The answer of the model broke off.');
}

/** The SDK's error for an answer with a bad status, and for a good one that does not keep to its form. */
interface ApiCallError extends Error {
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
}

/** By name: the class lies in a package that only the SDK's own packages depend on. */
function isApiCall(error: unknown): error is ApiCallError {
  return error instanceof Error && error.name === 'AI_APICallError';
}

function refusal(error: ApiCallError, provider: string): WeftError {
  const { statusCode: status = 0, responseHeaders = {} } = error;
  const retryAfter = responseHeaders['retry-after'];
  const code = codeOf(status);
  const when =
    code === 'model_rate_limited' && retryAfter !== undefined ? ` Retry-After: ${retryAfter}.` : '';
  return new WeftError(code, `${provider} answered with ${status}: ${saying(error)}${when}`, {
    data: { status, ...(retryAfter !== undefined && { retryAfter }) },
  });
}

function codeOf(status: number): ErrorCode {
  if (status < 300) return 'model_bad_answer';
  if (status === 404) return 'model_not_found';
  if (status === 429) return 'model_rate_limited';
  if (status === 408 || status === 504) return 'model_timeout';
  return status >= 500 || status === 425 ? 'model_unavailable' : 'model_refused';
}

/** Errors within a stream come as errors, as texts, or as the objects that the provider sent. */
function saying(error: unknown): string {
  const said = typeof error === 'string' ? error : (error as { message?: unknown } | null)?.message;
  return (typeof said === 'string' ? said : 'it gives no reason').slice(0, SHOWN);
}
