import { WeftError } from './errors.ts';

/** The failure of an item as the failure of the whole: its message and its data name the item. */
export function inItem(error: unknown, index: number): unknown {
  if (!(error instanceof WeftError)) return error;
  const { code, message, data, transient, field } = error;
  const place = typeof data === 'object' && data !== null ? { ...data, index } : { index };
  return new WeftError(code, `Item ${index}: ${message}`, { data: place, transient, field });
}

/** The failure of an item as a value in the result. */
export function toldOf(error: unknown): { code: string; message: string; data?: unknown } {
  if (!(error instanceof WeftError)) {
    return { code: 'node_failed', message: error instanceof Error ? error.message : 'The item failed.' };
  }
  const { code, message, data } = error;
  return { code, message, ...(data !== undefined && { data }) };
}
