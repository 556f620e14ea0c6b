import type { ErrorEntry } from './entry.ts';

/** Tests of flows. */
export const flowTestErrors = {
  test_not_found: {
    status: 404,
    meaning: 'The flow has no test of this name.',
    remedy: 'GET /api/v1/flows/{id}/tests lists them; it may have been renamed or removed.',
  },
} as const satisfies Record<string, ErrorEntry>;
