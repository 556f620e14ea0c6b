/** A node that nothing here stands for; the message says why, and the node becomes a placeholder. */
export class Unmapped extends Error {}
