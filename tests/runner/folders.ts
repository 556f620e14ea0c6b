import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
/** Reports, and what tests install. */
export const cacheFolder = `${root}.cache`;
