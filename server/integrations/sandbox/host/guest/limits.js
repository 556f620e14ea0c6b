/** Limits of one call that the code's side enforces, inside its own time and memory. */

/** Characters of JSON of a result or an item. */
export const MAX_RESULT = 4_000_000;
/** Characters of an error's message, and of its stack. */
export const MAX_ERROR = 4096;
/** Characters of one line of the log, and of all lines of a call. */
export const MAX_LOG_LINE = 1024;
export const MAX_LOG = 65_536;
/** Requests to the outside that a call may make, in all and at once. */
export const MAX_ASKED = 10_000;
export const MAX_ASKED_AT_ONCE = 64;
