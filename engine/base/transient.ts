import { WeftError } from './errors.ts';

/** Whether another attempt may help: an unexpected error may, a coded error says so itself. */
export function isTransient(thrown: unknown): boolean {
  return thrown instanceof WeftError ? thrown.transient : true;
}
