/** Longest text that an operator accepts or makes, in characters; the engine's limit for values is 10 MB. */
export const MAX_TEXT = 10_000_000;
