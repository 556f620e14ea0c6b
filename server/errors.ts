import { type ErrorCode, errorTable } from '#shared/errors.ts';

/** An error with a code of the table that is the answer to a request. Thrown by services, answered in one place (`app.ts`). */
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
