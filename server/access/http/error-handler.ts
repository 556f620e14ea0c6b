import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { WeftError } from '#engine';
import { type ErrorCode, errorEntry, errorTable } from '#shared/errors.ts';
import { connectionErrors } from '#shared/errors/connection.ts';
import { errorBody } from './envelope.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { addPlatformHeaders } from './platform.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Masks secrets in error messages; absent if there are none to mask. */
    readonly redactor?: Redactor;
  }
  interface FastifyRequest {
    /** Whether anyone may send this call of a flow; set once its trigger is known. */
    isPublicCall?: boolean;
  }
}

/** Fastify's own errors, in our codes. Those not named here are mapped by their status. */
const frameworkCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_MAX_PARAM_LENGTH: 'uri_too_long',
  FST_ERR_BAD_URL: 'invalid_request',
  FST_REQ_FILE_TOO_LARGE: 'body_too_large',
};

const statusCodes: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'body_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  429: 'too_many_requests',
  431: 'headers_too_large',
  503: 'overloaded',
};

/** An error as the caller sees it. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReturnType<typeof errorBody>;
}

/**
 * The answer to an error thrown anywhere in a request. An error that was not thrown on purpose is a bug: it
 * goes to the log with the request's id, and the caller gets only the id. Messages of a database contain its tables and
 * values, so anonymous callers get the meaning of the code instead; the run's record has both.
 */
export function errorAnswer(
  error: unknown,
  { id: requestId, log, isPublicCall }: Pick<FastifyRequest, 'id' | 'log' | 'isPublicCall'>,
  redactor?: Redactor,
): ErrorAnswer {
  if (error instanceof ServiceError) {
    const { code, message, status, param, detail } = error;
    return { status, headers: error.headers ?? {}, body: errorBody(code, message, { param, detail }) };
  }
  if (error instanceof WeftError) {
    const status = errorEntry(error.code)?.status ?? errorTable.node_failed.status;
    // It may contain the answer of an outside server, which may repeat the request.
    const text = isPublicCall === true ? wordsForAnybody(error) : error.message;
    const message = redactor === undefined ? text : redactor.text(text);
    return {
      status,
      headers: { ...retryAfter(error, status), ...(status >= 500 && !error.transient && NO_RETRY) },
      body: errorBody(error.code, message, { param: paramOf(error), providerCode: codeOfOther(error) }),
    };
  }
  const code = frameworkCode(error);
  if (code !== undefined) {
    const { status } = errorTable[code];
    return { status, headers: {}, body: errorBody(code, frameworkMessage(code, error as FastifyError)) };
  }
  log.error({ err: error, reqId: requestId }, 'unexpected error');
  const message = `A bug in the server; its log has the request id ${requestId}.`;
  return { status: errorTable.internal.status, headers: {}, body: errorBody('internal', message) };
}

/** OpenAI's clients repeat every request with a status from 500 on, even where that cannot help, unless a header forbids it. */
const NO_RETRY = { 'x-should-retry': 'false' };

function wordsForAnybody({ code, message }: WeftError): string {
  return Object.hasOwn(connectionErrors, code) ? (errorEntry(code)?.meaning ?? message) : message;
}

/** Errors about a setting or a message name the field of the caller's own request, others the place in the flow. */
function paramOf({ field, data }: WeftError): string | undefined {
  const param = (data as { param?: unknown } | undefined | null)?.param;
  return typeof param === 'string' ? param : field;
}

/** The code of the model's provider, by which OpenAI clients know what to do. */
function codeOfOther({ code, data }: WeftError): string | undefined {
  if (code !== 'model_bad_request') return undefined;
  const providerCode = (data as { code?: unknown } | undefined | null)?.code;
  return typeof providerCode === 'string' ? providerCode : undefined;
}

/** Errors of Fastify and its plugins; their status shows whether the caller caused them. */
function frameworkCode(error: unknown): ErrorCode | undefined {
  const { code, statusCode } = (error ?? {}) as Partial<FastifyError>;
  const named = code === undefined ? undefined : frameworkCodes[code];
  if (named !== undefined) return named;
  if (statusCode === undefined || statusCode < 400 || statusCode === 500 || statusCode > 503)
    return undefined;
  return statusCodes[statusCode] ?? (statusCode < 500 ? 'invalid_request' : undefined);
}

/** Seconds, or a date. */
const RETRY_AFTER = /^[\w ,:]{1,40}$/;

/** When to retry, as reported by the other side of a call; only if our own status means that too. */
function retryAfter({ data }: WeftError, status: number): Readonly<Record<string, string>> {
  if (status !== 429 && status !== 503) return {};
  const given = (data as { retryAfter?: unknown } | undefined | null)?.retryAfter;
  return typeof given === 'string' && RETRY_AFTER.test(given) ? { 'retry-after': given } : {};
}

/** Fastify's messages are fine if they name the mistake, but must not repeat the caller's bytes. */
function frameworkMessage(code: ErrorCode, error: FastifyError): string {
  if (error.code === 'FST_ERR_BAD_URL') return 'The address contains a broken percent-encoding.';
  return code === 'invalid_request' ? error.message : errorTable[code].meaning;
}

/** The server's only error handler. It also sets the platform headers, because some errors come before their hook. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const answer = errorAnswer(error, request, request.server.redactor);
  addPlatformHeaders(request, reply);
  reply.code(answer.status).headers(answer.headers).send(answer.body);
}
