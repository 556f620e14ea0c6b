import { communityServices } from './lines-of-community.ts';
import { dataServices } from './lines-of-data.ts';
import { workServices } from './lines-of-work.ts';

/** All services in lines of data. */
export const allLines = { ...workServices, ...dataServices, ...communityServices };
