/** Names that lead from data to code in JavaScript; expressions cannot read them and graphlib trips over them. */
export const RESERVED_IDS: readonly string[] = ['constructor', 'prototype'];
