import { errorEntry } from '#shared/errors.ts';

/** The answer of every successful management route. */
export interface Success<T> {
  readonly success: true;
  readonly err_code: null;
  readonly err_msg: null;
  readonly data: T;
}

/** The one error body, for clients of the envelope and for OpenAI clients alike. */
export interface ErrorBody {
  readonly success: false;
  readonly err_code: string;
  readonly err_msg: string;
  readonly data: null;
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
  };
  /** All problems of a bad request or flow. */
  readonly detail?: readonly unknown[];
}

export function ok<T>(data: T): Success<T> {
  return { success: true, err_code: null, err_msg: null, data };
}

export function errorBody(
  code: string,
  message: string,
  more: {
    param?: string | undefined;
    detail?: readonly unknown[] | undefined;
    /** The code of the other service, for clients that know it; our code stays in `err_code`. */
    providerCode?: string | undefined;
  } = {},
): ErrorBody {
  return {
    success: false,
    err_code: code,
    err_msg: message,
    data: null,
    error: {
      message,
      type: errorType(errorEntry(code)?.status ?? 500),
      param: more.param ?? null,
      code: more.providerCode ?? code,
    },
    ...(more.detail && { detail: more.detail }),
  };
}

/** OpenAI's name for the class of an error. */
function errorType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 404) return 'not_found_error';
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}
