import type { ErrorEntry } from './entry.ts';

/** Code nodes. */
export const codeErrors = {
  code_failed: {
    status: 500,
    meaning: 'The code of a node threw an error, or returned what is no JSON value.',
    remedy: 'Mend the code at the line that the message names.',
  },
  code_invalid: {
    status: 500,
    meaning: 'The code of a node cannot be read.',
    remedy: 'Mend the code at the line that the message names.',
  },
  code_timeout: {
    status: 504,
    meaning: 'The code of a node computed or waited longer than it may, so it was stopped.',
    remedy: 'Do less in one call, or raise the time limits of the node.',
  },
  code_memory: {
    status: 500,
    meaning: 'The code of a node took more memory than it may, so it was stopped.',
    remedy: 'Work on less data at a time, for instance item by item over a stream.',
  },
  code_crashed: {
    status: 500,
    meaning: 'The process that runs code ended in the middle of a call that had already reached the outside.',
    remedy: 'Run it again; when it happens again, look for the node that the log names.',
    transient: true,
  },
  code_unavailable: {
    status: 503,
    meaning: 'The process that runs code does not start.',
    remedy: 'Look into the log of the server for its reason, then mend the installation.',
    transient: true,
  },
} as const satisfies Record<string, ErrorEntry>;
