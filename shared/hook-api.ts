import { z } from 'zod';

/** The registration of a trigger at its service, as it is now. Times are ISO 8601. */
export const Hook = z.object({
  flow: z.string(),
  node: z.string(),
  operator: z.string(),
  state: z
    .enum(['registered', 'registering', 'failed', 'by-hand', 'elsewhere'])
    .describe(
      '`by-hand`: a person enters `address` at the service. `elsewhere`: made for another public address, and left alone.',
    ),
  /** Where the service sends; only if a person has to enter it, since nobody else needs to know it. */
  address: z.string().optional(),
  earlier: z
    .boolean()
    .optional()
    .describe('Made before the trigger was changed: it starts runs until the new registration is there.'),
  since: z.string().optional(),
  endsAt: z.string().optional(),
  lastEventAt: z.string().optional(),
  lastEvent: z.string().optional(),
  problem: z.object({ code: z.string(), message: z.string() }).optional(),
});
export type Hook = z.infer<typeof Hook>;

/** One of the list of all registrations. */
export const ListedHook = Hook.extend({
  id: z.string().describe('Names it here; the address of the registration cannot be told from it.'),
  use: z
    .enum(['live', 'draft', 'hand'])
    .describe(
      '`draft`: while somebody listens to a draft. `hand`: a person enters the address at the service.',
    ),
  service: z.string().describe('The id of the service: `github`.'),
  connection: z.string().optional().describe('The connection by which it is registered.'),
  at: z.string().optional().describe('The public address of the server that the service calls.'),
  remote: z.string().optional().describe('The id that the service has given it.'),
});
export type ListedHook = z.infer<typeof ListedHook>;

const word = z.string().min(1).max(200);

export const HookQuery = z.strictObject({
  flow: word.optional().describe('Only those of this flow.'),
  service: word.optional().describe('Only those at the service of this id.'),
  connection: word.optional().describe('Only those by this connection.'),
  state: Hook.shape.state.optional(),
  after: z.string().max(1000).optional().describe('`next` of the page before.'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
export type HookQuery = z.infer<typeof HookQuery>;

export const HookPage = z.object({
  /** By flow and node. */
  hooks: z.array(ListedHook),
  next: z.string().optional().describe('Send it as `after` to get the next page.'),
});
export type HookPage = z.infer<typeof HookPage>;
