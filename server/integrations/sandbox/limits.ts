/** Limits of code; the table in docs lists the same. Sizes in characters of JSON unless stated otherwise. */
export const limits = {
  source: 256 * 1024,
  input: 8_000_000,
  /** The same as JSON's nesting anywhere else in Weft. */
  depth: 200,
  /** Characters in the log of one call, as the server counts them. */
  log: 70_000,
  asked: 10_000,
  /** Bytes of an answer to `ctx.fetch`. */
  fetchBytes: 4_000_000,
  /** Bytes of a file that code reads at once, or makes. */
  fileBytes: 4_000_000,
  /** Processor time of one stretch, in milliseconds. */
  cpuMs: 250,
  wallMs: 10_000,
  /** MB of a flow's heap, and of the whole process. */
  memoryMb: 64,
  processMb: 512,
  /** How often a call is restarted whose host ended while it ran there alone, and one that was lost with others. */
  tries: 4,
  losses: 50,
} as const;
