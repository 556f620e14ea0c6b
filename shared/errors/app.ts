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
  app_unusable: {
    status: 422,
    meaning: 'The app cannot answer as it is set up.',
    remedy: 'Change the app as the message says: its `team_mode`, `team_context` or `details`.',
  },
} as const satisfies Record<string, ErrorEntry>;

/** Agents, and teams of them. */
export const agentErrors = {
  agent_failed: {
    status: 502,
    meaning: 'An agent, or a team of agents, could not finish its work.',
    remedy: 'Look at the log of the run: it shows each call of a model or tool with its outcome.',
  },
  agent_budget: {
    status: 429,
    meaning: 'The agents used up their budget: tokens, money, steps or time.',
    remedy:
      'Raise the limit that the message names, wait until the next day for a limit of an app or key, or ask for less. `data.partial` has the text so far.',
  },
} as const satisfies Record<string, ErrorEntry>;
