import { z } from 'zod';

/** One of several processes that serve on one port (`WEFT_PROCESSES`). */
const NodeProcess = z.object({
  number: z.int(),
  of: z.int(),
  server: z.int().describe('The process that has started them.'),
});

/** A live flow that a server does not serve. */
const UnservedFlow = z.object({
  flow: z.string(),
  operators: z.array(z.string()).describe('Those that this server lacks.'),
});

/** What a server tells of itself, besides that it lives. */
export const NodeAbout = z.object({
  process: NodeProcess.optional(),
  leaving: z.boolean().optional(),
  unserved: z.array(UnservedFlow).optional(),
});
export type NodeAbout = z.infer<typeof NodeAbout>;

/** A server that shares the database with others, as they see it. */
export const NodeInfo = z.object({
  id: z.string(),
  name: z.string().describe('Its host and process.'),
  version: z.string().describe('The version of Weft.'),
  startedAt: z.number().describe("Unix milliseconds, by the database's clock."),
  seenAt: z.number().describe('When it last told that it lives.'),
  state: z
    .enum(['starting', 'up', 'leaving', 'gone'])
    .describe(
      'starting: it serves nothing yet. leaving: it is stopping, and wants no new requests. gone: it was not seen for ten seconds.',
    ),
  behind: z.int().describe('Changes of other servers that it has not applied yet.'),
  process: NodeProcess.optional().describe('Which of the processes it is, if several serve on one port.'),
  unserved: z
    .array(UnservedFlow)
    .optional()
    .describe('Live flows that it does not serve, because it lacks operators that they use.'),
  self: z.boolean().describe('It is the server that answers.'),
});
export type NodeInfo = z.infer<typeof NodeInfo>;
