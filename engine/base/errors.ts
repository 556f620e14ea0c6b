import type { ErrorCode } from '#shared/errors.ts';
import { transientCodes } from '#shared/transient-codes.ts';

/**
 * The only error the engine throws on purpose. Everything else that is thrown in a run is turned into one by `toRunError`.
 * Operators throw it with a code of the table, or with a code of their own in the same form (`snake_case`).
 */
export class WeftError extends Error {
  override readonly name = 'WeftError';
  // oxlint-disable-next-line no-unused-private-class-members -- read by `in`, which the rule does not see
  readonly #isWeftError = true;
  readonly code: string;
  /** Param path or expression that the error belongs to. */
  readonly field: string | undefined;
  readonly data: unknown;
  /** The producer whose stream failed while a consumer read it. */
  readonly via: string | undefined;
  /** Whether another attempt may succeed. */
  readonly transient: boolean;
  /** The attempt did not fail itself: its run ended with this code and message. */
  readonly isOfRun: boolean;

  /** Uses a private name, since any value may be thrown, even a proxy that throws when it is inspected. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && #isWeftError in value;
  }

  constructor(
    code: ErrorCode | (string & {}),
    message: string,
    more: {
      field?: string | undefined;
      data?: unknown;
      transient?: boolean | undefined;
      via?: string;
      isOfRun?: boolean;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.field = more.field;
    this.data = more.data;
    this.via = more.via;
    this.transient = more.transient ?? transientCodes.has(code);
    this.isOfRun = more.isOfRun ?? false;
  }
}

/** Whether another attempt may help: an unexpected error may, a coded error says so itself. */
export function isTransient(thrown: unknown): boolean {
  return thrown instanceof WeftError ? thrown.transient : true;
}
