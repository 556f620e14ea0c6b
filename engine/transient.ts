import { errorEntry } from '#shared/errors.ts';
import { WeftError } from './errors.ts';

/** Whether another attempt may succeed: as the error says itself, else by the error table; what is not coded may always. */
export function isTransient(thrown: unknown): boolean {
  if (!(thrown instanceof WeftError)) return true;
  return thrown.transient ?? errorEntry(thrown.code)?.transient ?? false;
}
