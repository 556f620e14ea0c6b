import type { ServiceLines } from './lines.ts';
import { businessServices } from './lines-of-business.ts';
import { dataServices } from './lines-of-data.ts';
import { officeServices } from './lines-of-offices.ts';
import { ticketServices } from './lines-of-tickets.ts';
import { workServices } from './lines-of-work.ts';

/** The services in lines, by the type of their node. */
export const allLines: Readonly<Record<string, ServiceLines>> = {
  ...workServices,
  ...dataServices,
  ...businessServices,
  ...ticketServices,
  ...officeServices,
};
