import type { ErrorEntry } from './entry.ts';

/** Runs that outlive the process, and what they wait for. */
export const durableErrors = {
  needs_durable: {
    status: 500,
    meaning: 'A node waits for people in a run that is kept in memory only.',
    remedy: 'Set `settings.durable` of the flow to true, and run it on a server.',
  },
  durable_too_large: {
    status: 422,
    meaning: 'A durable run would have to record more than 20,000 steps, or 64 MB of them.',
    remedy:
      'Put the part that repeats into a flow of its own and call it: a call is one step. Or start a run for each batch, and give less as results.',
  },
  durable_result_too_large: {
    status: 500,
    meaning: 'A step of a durable run gave more than can be recorded (10 MB).',
    remedy: 'Store the data elsewhere and pass on where it is, or set `settings.durable` to false.',
  },
  durable_not_serialisable: {
    status: 500,
    meaning:
      'A step of a durable run gave something that would not come back as it was: a date, a map, a class of its own.',
    remedy: 'Turn it into text, a number or a plain object within the node; the message says where it is.',
  },
  run_not_retryable: {
    status: 409,
    meaning: 'Only a durable run that failed or was cancelled can be tried again.',
    remedy: 'Look at the state of the run; start a new one where it went well.',
  },
} as const satisfies Record<string, ErrorEntry>;
