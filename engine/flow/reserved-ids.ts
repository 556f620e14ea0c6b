/** Names that lead from data to code in JavaScript; expressions cannot read them, and graphlib fails with them. */
export const RESERVED_IDS: readonly string[] = ['constructor', 'prototype'];
