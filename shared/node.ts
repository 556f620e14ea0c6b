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

/** What a server does: requests, what nobody waits for, or both. */
const NodeRole = z.enum(['all', 'web', 'worker']);
export type NodeRole = z.infer<typeof NodeRole>;

/** Where a server has its flows from. */
const NodeFlows = z.object({
  from: z.enum(['database', 'folders', 'git']),
  contents: z.string().optional().describe('A hash of all of them, where each server has its own.'),
  at: z.string().optional().describe('The commit that is live.'),
  problem: z
    .object({ code: z.string(), message: z.string() })
    .optional()
    .describe('Why the repository was not taken over when this server last looked.'),
});
export type NodeFlows = z.infer<typeof NodeFlows>;

/** What a server tells of itself, besides that it lives. */
export const NodeAbout = z.object({
  process: NodeProcess.optional(),
  role: NodeRole.optional(),
  leaving: z.boolean().optional(),
  keys: z.array(z.string()).optional().describe('Marks of the secrets keys that it was given.'),
  unserved: z.array(UnservedFlow).optional(),
  clockMs: z.number().optional().describe("How far its clock is ahead of the database's."),
  unreachable: z.array(z.string()).optional().describe('Names of the servers that it does not reach.'),
  flows: NodeFlows.optional(),
  format: z.int().optional().describe('The newest format of flows that it reads; 1 if it does not tell.'),
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
  role: NodeRole.describe(
    'web: it answers requests. worker: it executes durable runs, schedules, sources and notices. all: both.',
  ),
  url: z.string().optional().describe('Where other servers reach it, once it listens.'),
  behind: z.int().describe('Changes of other servers that it has not applied yet.'),
  process: NodeProcess.optional().describe('Which of the processes it is, if several serve on one port.'),
  unserved: z
    .array(UnservedFlow)
    .optional()
    .describe('Live flows that it does not serve, because it lacks operators that they use.'),
  clockMs: z
    .number()
    .optional()
    .describe(
      "How many milliseconds its clock is ahead of the database's (negative: behind), if they are more than five seconds apart.",
    ),
  unreachable: z
    .array(z.string())
    .optional()
    .describe('Names of the servers that are up and that it does not reach at their addresses.'),
  flows: NodeFlows.optional().describe('Where it has its flows from; absent without a database.'),
  self: z.boolean().describe('It is the server that answers.'),
});
export type NodeInfo = z.infer<typeof NodeInfo>;

export const NodesQuery = z.strictObject({
  all: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Also those that have been gone for more than ten minutes, for a day.'),
});

/** What to say of the clock of a server that is wrong; undefined of one that is right. */
export function clockText({ clockMs }: Pick<NodeInfo, 'clockMs'>): string | undefined {
  if (clockMs === undefined) return undefined;
  const seconds = Math.round(Math.abs(clockMs) / 1000);
  return `its clock is ${seconds} seconds ${clockMs > 0 ? 'ahead of' : 'behind'} the database's`;
}

/** What to say where no server executes what nobody waits for; undefined if one does, or is about to. */
export function lacksWorker(all: readonly Pick<NodeInfo, 'role' | 'state'>[]): string | undefined {
  if (all.some(({ role, state }) => role !== 'web' && (state === 'up' || state === 'starting')))
    return undefined;
  return 'No worker is up: durable runs, schedules, sources and notices wait until a server with WEFT_ROLE=worker or all is.';
}

/** What to say where servers that are up do not have the same flows; undefined if all have. */
export function mixedFlows(all: readonly Pick<NodeInfo, 'flows' | 'state'>[]): string | undefined {
  const up = all.filter(({ state }) => state !== 'gone');
  const found = new Set(up.map(({ flows }) => `${flows?.from ?? 'database'} ${flows?.contents ?? ''}`));
  if (found.size < 2) return undefined;
  return `Servers with ${found.size} different sets of flows are up: each serves its own.`;
}

/** A setting of the server that answers, as it was read at its start. */
export const ServerSetting = z.object({
  /** In `weft.config.json`. */
  name: z.string(),
  env: z.string().describe('The variable of the environment.'),
  group: z.string(),
  doc: z.string(),
  value: z.string().optional().describe('In effect; absent where there is none, and for secrets.'),
  fallback: z.string().describe('The default in words.'),
  source: z.enum(['environment', 'file', 'default']).describe('Where the value comes from.'),
  secret: z.boolean().describe('Its value is never shown.'),
});
export type ServerSetting = z.infer<typeof ServerSetting>;
