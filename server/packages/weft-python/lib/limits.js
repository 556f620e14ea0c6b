import { availableParallelism } from 'node:os';

/** What one call of Python may use; README.md has the same numbers. */
export const limits = {
  /** Characters of JSON of the input and the facts about the run. */
  input: 8_000_000,
  /** Bytes of one message of a process. */
  message: 16 * 1024 ** 2,
  /** Messages of one call: lines of its log, and what it asks. */
  messages: 20_000,
  /** Characters of its log, and of what it asks. */
  log: 70_000,
  asked: 10_000,
  /** Bytes of an answer to `ctx.fetch`, and of a file that is read or made at once. */
  fetchBytes: 4_000_000,
  fileBytes: 4_000_000,
  /** Memory of Python, in pages of 64 KB, and of the whole process in MB. */
  pages: 4096,
  processMb: 640,
  /** Processes that run code at once, and those that are ready for the next call. */
  running: Math.min(8, Math.max(2, availableParallelism())),
  ready: 2,
  /** Milliseconds until a process has to be ready, and after which those that nobody needs are ended. */
  startMs: 60_000,
  idleMs: 300_000,
};
