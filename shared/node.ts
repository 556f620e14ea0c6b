import { z } from 'zod';

/** A server that shares the database with others, as they see it. */
export const NodeInfo = z.object({
  id: z.string(),
  name: z.string().describe('Its host and process.'),
  version: z.string().describe('The version of Weft.'),
  startedAt: z.number().describe("Unix milliseconds, by the database's clock."),
  seenAt: z.number().describe('When it last told that it lives.'),
  state: z
    .enum(['starting', 'up', 'gone'])
    .describe('starting: it serves nothing yet. gone: it was not seen for ten seconds.'),
  behind: z.int().describe('Changes of other servers that it has not applied yet.'),
  self: z.boolean().describe('It is the server that answers.'),
});
export type NodeInfo = z.infer<typeof NodeInfo>;
