import { appServices } from './lines-of-apps.ts';
import { communityServices } from './lines-of-community.ts';
import { dataServices } from './lines-of-data.ts';
import { workServices } from './lines-of-work.ts';
import type { ServiceLines } from './lines.ts';

/** All services in lines. */
export const allLines: Readonly<Record<string, ServiceLines>> = {
  ...workServices,
  ...dataServices,
  ...appServices,
  ...communityServices,
};
