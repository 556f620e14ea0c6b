import { appServices } from './lines-of-apps.ts';
import { businessServices } from './lines-of-business.ts';
import { communityServices } from './lines-of-community.ts';
import { dataServices } from './lines-of-data.ts';
import { officeServices } from './lines-of-offices.ts';
import { ticketServices } from './lines-of-tickets.ts';
import { workServices } from './lines-of-work.ts';
import type { ServiceLines } from './lines.ts';

/** All services in lines, by the type of their node. */
export const allLines: Readonly<Record<string, ServiceLines>> = {
  ...workServices,
  ...dataServices,
  ...businessServices,
  ...ticketServices,
  ...officeServices,
  ...appServices,
  ...communityServices,
};
