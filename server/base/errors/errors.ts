import { type ErrorCode, errorTable } from '#shared/errors.ts';

/**
 * An error with a code of the table, which becomes the answer to a request. Thrown by services, answered in one place
 * (`access/http/error-handler.ts`).
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly status: number;
  /** All problems of a bad request or flow. */
  readonly detail: readonly unknown[] | undefined;
  readonly param: string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(
    code: ErrorCode,
    message: string = errorTable[code].meaning,
    more: { detail?: readonly unknown[]; param?: string; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.code = code;
    this.status = errorTable[code].status;
    this.detail = more.detail;
    this.param = more.param;
    this.headers = more.headers;
  }
}

/** One problem of a request, in the format that clients of FastAPI services know. */
export interface RequestProblem {
  readonly type: string;
  /** Where: `query`, `path` or `body`, then names and indexes. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** The refusal of a request: all problems as `detail`, the first of them in its message. */
export function invalidRequest(problems: readonly RequestProblem[], param?: string): ServiceError {
  const shown = problems.slice(0, 5).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
  const more = problems.length > shown.length ? `; and ${problems.length - shown.length} more` : '';
  const detail = { detail: problems, ...(param !== undefined && { param }) };
  return new ServiceError('invalid_request', `${shown.join('; ')}${more}`, detail);
}
