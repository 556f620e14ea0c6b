import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
/** For reports and what else is made anew by each run. */
export const cacheFolder = `${root}.cache`;
