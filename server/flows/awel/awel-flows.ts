import type { Actor } from '#shared/audit.ts';
import { ID_PATTERN } from '#shared/flow.ts';
import type { Host } from '#engine';
import type { Catalog } from '#shared/catalog.ts';
import { isRecord } from '#shared/json.ts';
import type { FlowDocument, FlowService } from '../service/flow-types.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { triggersOf } from '../service/trigger-routes.ts';
import type { AwelFlow } from './awel-flow.ts';
import { type AwelFlowOut, flowObject } from './flow-object.ts';
import { proposedId } from './names.ts';
import { translate, type Translated } from './translate.ts';

/** The result of a write beyond the flow: the parts that could not be imported, and the needs of the flow. */
export type Written = AwelFlowOut & { readonly import: Pick<Translated, 'problems' | 'sheet'> };

export interface WriteOptions {
  readonly actor: Actor;
  /** Whether the caller may publish flows. */
  readonly mayPublish: boolean;
  /** Whether triggers that anyone may call stay open. */
  readonly open: boolean;
  /** The id of a new flow; by default from its uid or name. */
  readonly id?: string | undefined;
}

/**
 * Flows in DB-GPT's format: a translation in front of the flow service, which enforces all rules. `uid` is a
 * flow's id; an imported flow is also found by its uid in DB-GPT.
 */
export interface AwelFlows {
  /** Throws `flow_not_found`. */
  find(uid: string): Promise<FlowDocument>;
  show(document: FlowDocument): AwelFlowOut;
  /** The result of saving it, without saving it. */
  preview(awel: AwelFlow, options: Pick<WriteOptions, 'open' | 'id'>): Promise<Written>;
  /**
   * Stores it as a draft, and publishes it if its state asks for it and the caller may. Throws `conflict`,
   * `flow_invalid`, …
   */
  create(awel: AwelFlow, options: WriteOptions): Promise<Written>;
  /** Applies to the current revision, whichever revision the caller has read. */
  update(uid: string, awel: AwelFlow, options: WriteOptions): Promise<Written>;
  remove(document: FlowDocument): Promise<void>;
}

/** The parts of the server that the translation needs. */
export type FlowDeps = { readonly flows: FlowService; readonly catalog: Catalog; readonly host: Host };

export function createAwelFlows({ flows, catalog, host }: FlowDeps): AwelFlows {
  const check = (text: string, id: string) => flows.check(text, id);
  const show = (document: FlowDocument): AwelFlowOut =>
    flowObject(document, document.flow, document.layout, catalog);
  const written = (document: FlowDocument, { problems, sheet }: Translated): Written => ({
    ...show(document),
    import: { problems, sheet },
  });

  async function newFlow(
    awel: AwelFlow,
    { open, id: wanted }: Pick<WriteOptions, 'open' | 'id'>,
  ): Promise<Translated & { id: string }> {
    const id = wanted ?? (await newId(flows, awel));
    return { id, ...translate(awel, { id, catalog, check, open }) };
  }

  return {
    find: (uid) => findFlow(flows, uid),
    show,
    async preview(awel, options) {
      const { id, flow, layout, problems, sheet } = await newFlow(awel, options);
      const { name, description } = flow;
      const updatedAt = new Date(host.now()).toISOString();
      const facts = {
        id,
        name,
        description,
        state: 'draft',
        readOnly: false,
        updatedAt,
        file: `${id}.json`,
      } as const;
      const about = { ...facts, problems, triggers: triggersOf(flow, catalog) };
      return { ...flowObject(about, flow, layout, catalog), import: { problems, sheet } };
    },
    async create(awel, options) {
      const made = await newFlow(awel, options);
      const { actor } = options;
      const by = { actor, mode: 'draft' } as const;
      const saved = await flows.save(made.id, made.text, { revision: undefined, ...by });
      await flows.saveLayout(made.id, made.layout);
      if (wantsLive(awel, options)) await publishOrTakeBack(flows, saved, actor);
      return written(await flows.get(made.id), made);
    },
    async update(uid, awel, options) {
      const before = await findFlow(flows, uid);
      const { id, revision } = before;
      const { actor, open } = options;
      const made = translate(awel, { id, catalog, check, open, before });
      // These clients send the whole flow and know nothing of drafts: what they send replaces both.
      const base = before.hasDraft && before.state === 'live' ? before.version : undefined;
      const saved = await flows.save(id, made.text, { revision, actor, mode: 'draft', base });
      if (hasPositions(awel)) await flows.saveLayout(id, made.layout);
      if (wantsLive(awel, options) && saved.hasDraft)
        await flows.publish(id, { revision: saved.revision, actor });
      return written(await flows.get(id), made);
    },
    remove: ({ id, revision }) => flows.remove(id, { revision }),
  };
}

/** `deployed` requests it, and `running` is the state that a live flow reports. */
function wantsLive({ state }: AwelFlow, { mayPublish }: WriteOptions): boolean {
  return mayPublish && (state === 'deployed' || state === 'running');
}

/** As in DB-GPT, a flow that cannot go live as requested is not created; only a copy in the trash remains. */
async function publishOrTakeBack(flows: FlowService, saved: FlowDocument, actor: Actor): Promise<void> {
  const { id, revision } = saved;
  try {
    await flows.publish(id, { revision, actor });
  } catch (error) {
    await flows.remove(id, { revision });
    throw error;
  }
}

function hasPositions({ flow_data }: AwelFlow): boolean {
  return flow_data.nodes.some(({ position }) => position);
}

async function findFlow(flows: FlowService, uid: string): Promise<FlowDocument> {
  if (ID_PATTERN.test(uid)) return flows.get(uid);
  const found = await findByOrigin(flows, uid);
  if (!found) throw new ServiceError('flow_not_found', `There is no flow ${uid}.`);
  return found;
}

/** DB-GPT's ids are UUIDs, which are not valid ids here; an imported flow stores its own under `awel`. */
async function findByOrigin(flows: FlowService, uid: string): Promise<FlowDocument | undefined> {
  for (const { id } of flows.list()) {
    const flow = flows.live(id)?.flow ?? (await flows.get(id)).flow;
    if (isRecord(flow?.['awel']) && flow['awel']['uid'] === uid) return flows.get(id);
  }
  return undefined;
}

async function newId(flows: FlowService, awel: AwelFlow): Promise<string> {
  const { uid } = awel;
  const there = uid && !ID_PATTERN.test(uid) ? await findByOrigin(flows, uid) : undefined;
  if (there)
    throw new ServiceError('conflict', `The flow ${uid} already exists; here its id is ${there.id}.`);
  const taken = new Set(flows.list().map(({ id }) => id));
  return proposedId(awel, (id) => taken.has(id));
}
