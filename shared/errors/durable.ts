import type { ErrorEntry } from './entry.ts';

/** Runs that outlive the process, and what they wait for. */
export const durableErrors = {
  needs_durable: {
    status: 500,
    meaning: 'A node waits for people in a run that is only in memory.',
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
    meaning: 'A step of a durable run returned more than can be recorded (10 MB).',
    remedy: 'Store the data elsewhere and pass on where it is, or set `settings.durable` to false.',
  },
  durable_not_serialisable: {
    status: 500,
    meaning:
      'A step of a durable run returned something that JSON cannot restore: a date, a map, an instance of a class.',
    remedy: 'Turn it into text, a number or a plain object within the node; the message says where it is.',
  },
  run_not_retryable: {
    status: 409,
    meaning: 'Only a durable run that failed or was cancelled can be tried again.',
    remedy: 'Look at the state of the run; start a new run if it succeeded.',
  },
} as const satisfies Record<string, ErrorEntry>;
