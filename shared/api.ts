import { Actor } from './audit.ts';
import { z } from 'zod';
import { Flow, FlowFolder, FlowTags, Id } from './flow.ts';
import { FlowSchemas } from './flow-schemas.ts';
import { Layout } from './layout.ts';
import { Problem } from './problem.ts';
import { SecretGrants } from './secret.ts';

export * from './run-api.ts';

/** The data of `/api/v1`: bodies and queries of requests (strict, since an unknown field is a mistake), and data of answers. */

// --------------------------------------------------------------------------------------------------- flows, requests

/** A flow as text, exactly as in its file, or as an object. Broken text is accepted: it is stored as a draft. */
const source = {
  text: z.string().optional(),
  flow: z.looseObject({}).optional(),
};

const isOneSource = (body: { text?: unknown; flow?: unknown }) =>
  (body.text === undefined) !== (body.flow === undefined);
const ONE_SOURCE = { message: 'Send either `text` or `flow`.', path: ['text'] };

const revision = z
  .string()
  .min(1)
  .max(100)
  .describe('The `revision` of the flow that the change is based on.');

export const SaveMode = z
  .enum(['draft', 'publish'])
  .describe(
    '`draft`: what is live stays as it is. `publish`: it goes live, or is refused with its errors. Without it `WEFT_DEPLOY` decides.',
  );
export type SaveMode = z.infer<typeof SaveMode>;

const mode = SaveMode.optional();
const base = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe(
    'The version of the file that the draft contains, if the file was changed after the draft was begun.',
  );

export const CreateFlowBody = z
  .strictObject({ id: Id.optional().describe('If the text does not say it.'), ...source, mode })
  .refine(isOneSource, ONE_SOURCE);
export type CreateFlowBody = z.infer<typeof CreateFlowBody>;

export const SaveFlowBody = z
  .strictObject({ ...source, revision, mode, base })
  .refine(isOneSource, ONE_SOURCE);
export type SaveFlowBody = z.infer<typeof SaveFlowBody>;

export const CheckFlowBody = z.strictObject({ id: Id.optional(), ...source }).refine(isOneSource, ONE_SOURCE);
export type CheckFlowBody = z.infer<typeof CheckFlowBody>;

const label = z
  .string()
  .min(1)
  .max(200)
  .describe('A name for the version, such as `v2` or `before the sale`.');

export const PublishBody = z.strictObject({ revision, label: label.optional() });
export type PublishBody = z.infer<typeof PublishBody>;

export const LabelBody = z.strictObject({ label: label.nullable() });
export type LabelBody = z.infer<typeof LabelBody>;

export const RevisionBody = z.strictObject({ revision });
export type RevisionBody = z.infer<typeof RevisionBody>;

export const DeletedFlow = z.object({
  id: z.string(),
  at: z.int().describe('When it was deleted, Unix milliseconds.'),
  name: z.string().optional().describe('Its name, if it had one.'),
});
export type DeletedFlow = z.infer<typeof DeletedFlow>;

export const FlowPlaceBody = z.strictObject({
  folder: FlowFolder.nullable().optional().describe('null takes the flow out of its folders.'),
  tags: FlowTags.optional().describe('All tags of the flow.'),
});
export type FlowPlaceBody = z.infer<typeof FlowPlaceBody>;

export const LayoutBody = Layout;

export const FlowState = z.enum(['live', 'draft', 'broken']);
export type FlowState = z.infer<typeof FlowState>;

export const FlowQuery = z.strictObject({
  q: z.string().max(200).optional().describe('Part of id, name, description, folder or a tag.'),
  state: FlowState.optional(),
  folder: z.string().min(1).max(200).optional().describe('In this folder, or in one below it.'),
  tag: z.string().min(1).max(40).optional().describe('With this tag.'),
  schemas: z.stringbool().optional().describe('Whether to report what live flows take and return.'),
});
export type FlowQuery = z.infer<typeof FlowQuery>;

// ------------------------------------------------------------------------------------------------ flows, answers

export const FlowTrigger = z.object({
  node: z.string(),
  operator: z.string(),
  path: z.string().optional(),
  methods: z.array(z.string()).readonly().optional(),
  auth: z.string().optional(),
});
export type FlowTrigger = z.infer<typeof FlowTrigger>;

export const FlowSummary = z.object({
  id: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  folder: z
    .string()
    .optional()
    .describe('Folders in the list, such as `Sales/Orders`: as the flow says, or as its file lies.'),
  tags: z.array(z.string()).readonly().optional().describe('Absent if there are none.'),
  /** Path below the flows folder. */
  file: z.string(),
  state: FlowState,
  /** The live version, if any. */
  version: z.string().optional(),
  live: z.string().optional().describe('The live version, beside `draft`.'),
  draft: z.string().optional().describe('The version of the draft; absent if there is none.'),
  base: z
    .string()
    .optional()
    .describe(
      'The version of the file that the draft contains: another one than `live` if the file was changed since.',
    ),
  revision: z.string(),
  hasDraft: z.boolean(),
  readOnly: z.boolean(),
  problems: z.array(Problem).readonly(),
  triggers: z.array(FlowTrigger).readonly(),
  /** Ids of the flows that it calls. */
  calls: z.array(z.string()).readonly(),
  /** Names of the connections that it uses; absent if there are none. */
  connections: z.array(z.string()).readonly().optional(),
  /** The schemas of the live version, by trigger; only on request. */
  schemas: z.record(z.string(), FlowSchemas).readonly().optional(),
  updatedAt: z.string(),
});
export type FlowSummary = z.infer<typeof FlowSummary>;

/** Who stops working without a flow. */
export const FlowUse = z.object({
  flows: z
    .array(
      z.object({
        id: z.string(),
        name: z.string().optional(),
        as: z
          .enum(['call', 'failure'])
          .describe('`failure`: it is started when a run of that flow has failed.'),
      }),
    )
    .readonly(),
  apps: z
    .array(z.object({ code: z.string(), name: z.string() }))
    .readonly()
    .describe('Empty for callers without the scope `apps:read`.'),
});
export type FlowUse = z.infer<typeof FlowUse>;

/** The flows that name a secret or read a variable, in their draft or in what is live. */
export const NameUse = z.object({
  flows: z.array(z.object({ id: z.string(), name: z.string().optional() })).readonly(),
});
export type NameUse = z.infer<typeof NameUse>;

/** How the runs of flows ended lately; runs that are parts of others, and those in progress, do not count. */
export const FlowActivity = z.object({
  since: z.number().describe('Begin of the first hour, in Unix milliseconds.'),
  whole: z.boolean().describe('Whether all runs since then were counted; otherwise only the newest of them.'),
  flows: z.record(
    z.string(),
    z.object({
      ok: z.array(z.int()).readonly().describe('By hour, the oldest first.'),
      failed: z.array(z.int()).readonly().describe('By hour, the oldest first.'),
    }),
  ),
});
export type FlowActivity = z.infer<typeof FlowActivity>;

export const FlowDetail = FlowSummary.extend({
  text: z.string(),
  flow: Flow.optional(),
  layout: Layout.optional(),
  /** There is a layout that cannot be read, so the nodes have no places. */
  layoutBroken: z.boolean().optional(),
});
export type FlowDetail = z.infer<typeof FlowDetail>;

export const FlowVersion = z.object({
  version: z.string(),
  number: z.int().optional().describe('From 1, in the order in which the versions went live.'),
  at: z.string(),
  author: z.string().describe('The name of the actor.'),
  actor: Actor.optional().describe('Who put it live; absent for a version that is older than this field.'),
  label: z.string().optional(),
  live: z.boolean(),
});
export type FlowVersion = z.infer<typeof FlowVersion>;

/** `before` or `after` is absent if the thing was or is not there. */
const Changed = { path: z.string(), before: z.unknown().optional(), after: z.unknown().optional() };
const ends = { from: z.string(), to: z.string() };

/** One difference between two versions of a flow; see `engine/flow/diff.ts`. */
export const FlowChange = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['node-added', 'node-removed']), node: z.string(), operator: z.string() }),
  z.object({ kind: z.literal('node-renamed'), node: z.string(), to: z.string() }),
  z.object({ kind: z.literal('node-changed'), node: z.string(), ...Changed }),
  z.object({ kind: z.enum(['edge-added', 'edge-removed']), ...ends, pick: z.string().optional() }),
  z.object({ kind: z.literal('flow-changed'), ...Changed }),
]);
export type FlowChange = z.infer<typeof FlowChange>;

export const DiffQuery = z.strictObject({
  from: z.string().min(1).max(64).default('live').describe('A version, `live` or `draft`.'),
  to: z
    .string()
    .min(1)
    .max(64)
    .default('draft')
    .describe('A version, `live` or `draft` (the file if there is no draft).'),
});
export type DiffQuery = z.infer<typeof DiffQuery>;

export const FlowDiff = z.object({ from: z.string(), to: z.string(), changes: z.array(FlowChange) });
export type FlowDiff = z.infer<typeof FlowDiff>;

export const CheckResult = z.object({ flow: Flow.optional(), problems: z.array(Problem) });
export type CheckResult = z.infer<typeof CheckResult>;

// ------------------------------------------------------------------------------------------------------ variables

export const VariableBody = z.strictObject({ value: z.json() });
export type VariableBody = z.infer<typeof VariableBody>;

export const Variable = z.object({ name: z.string(), value: z.unknown() });
export type Variable = z.infer<typeof Variable>;

// -------------------------------------------------------------------------------------------------------- secrets

/** Creates or changes a secret; omitted fields stay as they are. A new secret needs both. */
export const SecretBody = z.strictObject({
  value: z.string().min(1).max(65_536).optional(),
  grants: SecretGrants.optional(),
});
export type SecretBody = z.infer<typeof SecretBody>;

/** All that is ever shown of a secret; its value is not. */
export const SecretInfo = z.object({
  name: z.string(),
  /** The value of a secret from the environment cannot be changed here. */
  source: z.enum(['file', 'environment']),
  grants: SecretGrants,
  /** Last change of the value or the grants; absent while only the environment sets them. */
  updatedAt: z.string().optional(),
});
export type SecretInfo = z.infer<typeof SecretInfo>;
