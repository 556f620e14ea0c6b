import type { ErrorEntry } from './entry.ts';

/** Code nodes. */
export const codeErrors = {} as const satisfies Record<string, ErrorEntry>;
