import type { ErrorEntry } from './entry.ts';

/** Apps. */
export const appErrors = {
  app_not_found: {
    status: 404,
    meaning: 'No app has this code.',
    remedy: 'GET /api/v2/serve/apps lists the apps with their `app_code`.',
  },
  app_name_taken: {
    status: 409,
    meaning: 'Another app has this name already.',
    remedy: 'Choose another `app_name`, or change the app that the message names.',
  },
} as const satisfies Record<string, ErrorEntry>;
