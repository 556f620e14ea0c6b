import type { ErrorEntry } from './entry.ts';

/** Agents, and teams of them. */
export const agentErrors = {
  agent_failed: {
    status: 502,
    meaning: 'An agent, or a team of agents, could not finish its work.',
    remedy: 'Look at the log of the run: it shows every call of a model and of a tool, and its outcome.',
  },
  agent_budget: {
    status: 429,
    meaning: 'The agents used up their budget: tokens, money, steps or time.',
    remedy:
      'Raise the limit that the message names, wait until the next day for a limit of an app or key, or ask for less. `data.partial` has the text so far.',
  },
} as const satisfies Record<string, ErrorEntry>;
