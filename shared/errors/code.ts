import type { ErrorEntry } from './entry.ts';

/** Code nodes. */
export const codeErrors = {
  code_failed: {
    status: 500,
    meaning: 'The code of a node threw an error, or returned something that is not JSON.',
    remedy: 'Fix the code at the line that the message names.',
  },
  code_invalid: {
    status: 500,
    meaning: 'The code of a node has a syntax error.',
    remedy: 'Fix the code at the line that the message names.',
  },
  code_timeout: {
    status: 504,
    meaning: 'The code of a node ran or waited longer than allowed, so it was stopped.',
    remedy: 'Do less in one call, or raise the time limits of the node.',
  },
  code_memory: {
    status: 500,
    meaning: 'The code of a node used more memory than allowed, so it was stopped.',
    remedy: 'Work on less data at a time, for instance item by item over a stream.',
  },
  code_crashed: {
    status: 500,
    meaning: 'The process that runs code ended during a call that had already sent a request to the outside.',
    remedy: 'Run it again; if it fails again, look at the node that the log names.',
    transient: true,
  },
  code_unavailable: {
    status: 503,
    meaning:
      'The process that runs code does not start or answer, or all memory for code is taken by calls in progress.',
    remedy:
      'Call again; if it fails again, look in the log of the server for the reason, and repair the installation.',
    transient: true,
  },
} as const satisfies Record<string, ErrorEntry>;
