import type { ErrorEntry } from './entry.ts';

/** Calls to the outside, and the secrets they carry. */
export const outboundErrors = {} as const satisfies Record<string, ErrorEntry>;
