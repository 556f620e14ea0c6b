import { z } from 'zod';
import { ServiceFile } from './service-file.ts';

/** Services as the HTTP API shows them. */

const ServiceOperator = z.object({
  /** The type of the operator. */
  type: z.string(),
  title: z.string(),
  doc: z.string(),
  synonyms: z.string().optional(),
});

const { id, title, doc, icon, color, version, source, page, base, variables, connect, rate } =
  ServiceFile.shape;
const shown = { id, title, doc, icon, color, version, source, page, base, variables, connect, rate };

export const ServiceInfo = z.object({
  ...shown,
  /** Whether it is a part of the product, which is not removed. */
  isShipped: z.boolean(),
  calls: z.array(ServiceOperator),
  triggers: z.array(ServiceOperator),
});
export type ServiceInfo = z.output<typeof ServiceInfo>;

const given = {
  address: z
    .string()
    .max(2000)
    .optional()
    .describe('Where the description is; it is fetched by the rules for requests of flows.'),
  text: z.string().max(10_000_000).optional().describe('The description itself, in place of an address.'),
};

export const ServiceReading = z.strictObject(given);

/** What a description offers to choose from. */
export const ServiceOffer = z.object({
  title: z.string(),
  doc: z.string(),
  form: z.enum(['openapi', 'discovery', 'service']),
  version: z.string(),
  /** The id that it gets unless another one is chosen. */
  id: z.string(),
  base: z.string(),
  calls: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      doc: z.string(),
      method: z.string(),
      path: z.string(),
      tags: z.array(z.string()),
      /** The vendor advises against it. */
      isOld: z.boolean(),
    }),
  ),
});
export type ServiceOffer = z.output<typeof ServiceOffer>;

export const ServiceAdding = z.strictObject({
  ...given,
  calls: z
    .array(z.string().max(100))
    .max(100)
    .default([])
    .describe('The calls of the description that become operators, by id. A file of a service has its own.'),
  id: z.string().max(40).optional().describe('By default made of the title.'),
  base: z
    .string()
    .max(500)
    .optional()
    .describe('The address of the API, if the description has none or another one is meant.'),
  replaces: z.boolean().default(false).describe('Whether it takes the place of a service with the same id.'),
});
export type ServiceAdding = z.output<typeof ServiceAdding>;

export const ChoicesBody = z.strictObject({
  flow: z.string().max(200).describe('The flow, to which the connection must be granted.'),
  operator: z.string().max(200),
  param: z.string().max(100),
  params: z.record(z.string().max(100), z.unknown()).describe('The params of the node, with its connection.'),
  search: z
    .string()
    .max(200)
    .optional()
    .describe('What a person typed; used if the service searches itself.'),
  limit: z.int().min(1).max(5000).default(200),
  fresh: z.boolean().default(false).describe('Whether the service is asked although the answer is known.'),
});

export const ServiceChoices = z.object({
  items: z.array(z.object({ value: z.union([z.string(), z.number()]), label: z.string() })),
  /** There may be more than `limit`. */
  more: z.boolean(),
  /** Whether the service searches. */
  searches: z.boolean(),
});
export type ServiceChoices = z.output<typeof ServiceChoices>;
