import type { ErrorCode } from '#shared/errors.ts';

/** A reason not to start that the person at the terminal can fix; shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** One that begins with a code of the error table. */
export function codedStartError(code: ErrorCode, text: string): StartError {
  return new StartError(`${code}: ${text}`);
}
