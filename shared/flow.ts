import { z } from 'zod';

/**
 * The flow file: what runs. Positions and notes live in the layout file (`layout.ts`). Format 2 adds `each` and `body` to nodes and
 * `pick` to edges; a flow without them stays in format 1, which older servers read. Unknown keys are kept everywhere, so that a newer
 * editor's file survives an older server.
 */

/** Ids of flows, nodes and ports: stable, referenced by edges and expressions. */
export const ID_PATTERN = /^[a-z][a-z0-9_]{0,63}$/;

export const Id = z
  .string()
  .regex(ID_PATTERN, 'must start with a lower-case letter and hold only a-z, 0-9 and _ (at most 64)');

export const FORMATS = [1, 2] as const;
/** The newest format that this version reads. */
export const NEWEST_FORMAT = Math.max(...FORMATS);
/** The format of a new flow. */
export const FORMAT = 1;
export const MAX_NODES = 10_000;
export const MAX_JSON_DEPTH = 200;

/** Another try after a failure. `attempts` counts the first one; the wait before try n is `backoffMs * factor^(n-2)`. */
export const Retry = z.looseObject({
  attempts: z.int().min(1).max(100).describe('Attempts in all, the first one included.'),
  backoffMs: z
    .number()
    .min(0)
    .max(3_600_000)
    .default(1000)
    .describe('Wait before the second attempt, in milliseconds.'),
  factor: z.number().min(1).max(10).default(2).describe('Each further wait is this many times longer.'),
  jitter: z.number().min(0).max(1).default(0).describe('Share of the wait that is random, 0 to 1.'),
});
export type Retry = z.infer<typeof Retry>;

export const OnError = z.enum(['fail', 'continue', 'route']);
export type OnError = z.infer<typeof OnError>;

/** Reuse of what a node gave for the same input. */
export const NodeCache = z.looseObject({
  ttlMs: z
    .number()
    .min(1)
    .optional()
    .describe('How long an output may be reused, in milliseconds. By default there is no limit.'),
  key: z
    .string()
    .optional()
    .describe(
      'An expression: outputs are reused for the same value of it. By default they are reused for the same params and inputs.',
    ),
  keep: z
    .enum(['memory', 'disk'])
    .optional()
    .describe(
      'Where outputs are kept: in `memory` (default), or on `disk`, over restarts, for this node alone.',
    ),
});
export type NodeCache = z.infer<typeof NodeCache>;

/** Most items of a list if the flow does not say. */
export const MAX_ITEMS = 10_000;
/** How many items are in progress at once if the flow does not say. */
export const ITEMS_AT_ONCE = 10;

/** The node runs once for each item of a list or stream. `retry`, `timeoutMs`, `onError` and `cache` apply to each item. */
export const NodeEach = z.looseObject({
  items: z
    .string()
    .min(1)
    .optional()
    .describe('An expression for the list; the input of the node if it is left out.'),
  concurrency: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe(
      `Items in progress at once, ${ITEMS_AT_ONCE} if it is left out; 1 works on them one after the other.`,
    ),
  onItemError: z
    .enum(['fail', 'skip', 'collect'])
    .optional()
    .describe(
      'Whether an item that fails makes the node fail (`fail`, the default), is left out (`skip`), or is reported in the result, a list of { ok, value } and { ok, error } (`collect`).',
    ),
  maxItems: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      `More items than this are an error; ${MAX_ITEMS} of a list if it is left out, any number of a stream.`,
    ),
});
export type NodeEach = z.infer<typeof NodeEach>;

export const FlowNode = z.looseObject({
  operator: z.string().min(1).max(200),
  name: z.string().max(200).optional(),
  description: z.string().max(10_000).optional(),
  disabled: z.boolean().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  onError: OnError.optional(),
  /** With `onError: continue`: the value of each output that stands in after a failure. */
  fallback: z.record(z.string(), z.unknown()).optional(),
  retry: Retry.optional(),
  /** Limit of one attempt, in milliseconds. */
  timeoutMs: z.number().min(1).max(86_400_000).optional(),
  cache: NodeCache.optional(),
  each: NodeEach.optional(),
  body: z.lazy((): z.ZodType<FlowBody> => FlowBody).optional(),
});
export type FlowNode = z.infer<typeof FlowNode>;

/**
 * The nodes within a node: what a loop repeats, or a group holds. Ids are unique in the whole flow. Edges stay within the body;
 * expressions also read the nodes that come before the node around it.
 */
export interface FlowBody {
  /** The id under which edges and expressions of the body find its input; no node has it. */
  readonly start: string;
  readonly nodes: Record<string, FlowNode>;
  readonly edges: FlowEdge[];
  readonly [key: string]: unknown;
}

/** How deep bodies may be in bodies. */
export const MAX_BODY_DEPTH = 5;

/** `node.port`. */
export const PORT_REF_PATTERN = /^[a-z][a-z0-9_]{0,63}\.[a-z][a-z0-9_]{0,63}$/;
export const PortRef = z.string().regex(PORT_REF_PATTERN, 'must be written node.port');

export const FlowEdge = z.looseObject({
  from: PortRef,
  /** Carries a field of the value instead of the whole: its path as expressions write it, `orders`, `order.lines[0]`. */
  pick: z.string().min(1).max(500).optional(),
  to: PortRef,
  /** Gives the edges of an input that takes many their order; lower first. */
  order: z.number().optional(),
});
export type FlowEdge = z.infer<typeof FlowEdge>;

export const FlowBody: z.ZodType<FlowBody> = z.looseObject({
  start: Id,
  nodes: z.record(Id, FlowNode),
  edges: z.array(FlowEdge),
});

export const FlowSettings = z.looseObject({
  /** Limit of a whole run, in milliseconds. */
  timeoutMs: z.number().min(1).max(86_400_000).optional(),
  /** How many nodes may await something at once; 1 runs them one after the other. */
  concurrency: z.int().min(1).max(10_000).optional(),
  /** How many items a consumer of a stream may fall behind where consumers wait for each other, before the run fails. */
  maxStreamBuffer: z.int().min(1).max(1_000_000).optional(),
  record: z.enum(['full', 'default', 'summary', 'off']).optional(),
  onDisconnect: z.enum(['cancel', 'continue']).optional(),
  /** Runs outlive the process: what their steps gave is on disk. Left out: as the flow's triggers and nodes need it. */
  durable: z.boolean().optional(),
  /** How many runs may be in progress at once: of the flow, or for each value of `maxRunsKey`. */
  maxRuns: z.int().min(1).max(10_000).optional(),
  /** A template over `trigger`; `maxRuns` counts the runs with the same text separately: `{{ trigger.body.customer }}`. */
  maxRunsKey: z.string().max(1000).optional(),
  /** Whether a run beyond `maxRuns` waits or is refused. By default durable runs wait and others are refused. */
  whenFull: z.enum(['queue', 'reject']).optional(),
  /** The zone in which expressions read and write times, such as Europe/Oslo. Left out: that of the server. */
  timezone: z.string().min(1).max(64).optional(),
  /** Id of the flow that is started when a run has failed. */
  onFailure: Id.optional(),
  /** Whether `/mcp` offers its triggers as tools. Left out: yes. */
  mcp: z.boolean().optional(),
  /** `/mcp/<group>` offers the flows of a group only. */
  mcpGroups: z.array(Id).max(20).optional(),
});
export type FlowSettings = z.infer<typeof FlowSettings>;

/** Folders of a flow in the list, the outer one first: `Sales/Orders`. It says nothing about where its file is. */
export const FlowFolder = z
  .string()
  .max(200)
  .regex(
    /^[^/\s](?:[^/]*[^/\s])?(?:\/[^/\s](?:[^/]*[^/\s])?)*$/,
    'must hold names with `/` between them, without spaces at their ends',
  );

/** Words by which flows are found, each once. */
export const FlowTags = z
  .array(
    z
      .string()
      .min(1)
      .max(40)
      .regex(/^\S(?:.*\S)?$/, 'must not begin or end with a space'),
  )
  .max(20)
  .refine((tags) => new Set(tags).size === tags.length, 'must not have a tag twice');

export const Flow = z.looseObject({
  format: z.literal(FORMATS),
  id: Id,
  name: z.string().max(200).optional(),
  description: z.string().max(10_000).optional(),
  folder: FlowFolder.optional(),
  tags: FlowTags.optional(),
  nodes: z.record(Id, FlowNode),
  edges: z.array(FlowEdge),
  settings: FlowSettings.optional(),
});
export type Flow = z.infer<typeof Flow>;

/** The oldest format that can hold the flow. */
export function formatOf({ nodes, edges }: Pick<Flow, 'nodes' | 'edges'>): Flow['format'] {
  const isNewer =
    Object.values(nodes).some(({ each, body }) => each !== undefined || body !== undefined) ||
    edges.some(({ pick }) => pick !== undefined);
  return isNewer ? 2 : 1;
}

/** Splits `node.port` (already validated) into its two ids. */
export function splitPortRef(ref: string): { node: string; port: string } {
  const dot = ref.indexOf('.');
  return { node: ref.slice(0, dot), port: ref.slice(dot + 1) };
}
