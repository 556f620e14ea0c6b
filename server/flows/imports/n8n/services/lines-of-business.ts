import type { ServiceLines } from './lines.ts';

/** Services of sales, of offices and of those who look after customers. */
export const businessServices: Readonly<Record<string, ServiceLines>> = {};
