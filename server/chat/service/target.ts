import { WeftError } from '#engine';
import { APP_PREFIX, DATA_PREFIX, FLOW_PREFIX, KNOWLEDGE_PREFIX } from '#shared/chat-names.ts';
import type { ChatRequest } from '#shared/chat-request.ts';
import type { Apps } from '../apps/apps.ts';
import type { FlowService, LiveFlow } from '../../flows/service/flow-types.ts';
import { connectionNameOf } from '../../integrations/connections/connection-name.ts';
import type { Connections } from '../../integrations/connections/connections.ts';
import { nearest } from '../../base/errors/nearest.ts';
import type { Knowledge } from '../../integrations/knowledge/knowledge.ts';
import type { Models } from '../../integrations/models/models.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { type BuiltInFlows, CHAT_TRIGGER } from '../../execution/starts/built-in-flows.ts';

/** The model, app, flow, knowledge space or connection that answers a chat. */
export interface ChatTarget {
  readonly flow: LiveFlow;
  /** The trigger node. */
  readonly node: string;
  /** Its name in conversations: a model, `app:<code>`, `flow:<id>`, `knowledge:<space>` or `data:<connection>`. */
  readonly name: string;
  /** The model that the client named; null if it named an app or a flow instead. */
  readonly model: string | null;
  /** The full name of the answering model, if it is known in advance. */
  readonly answersAs?: string;
  /** The full name of the model for questions to a space or a connection; others may replace it. */
  readonly asks?: string;
  /** `flow` is the draft, or the file if there is no draft. */
  readonly isDraft?: boolean;
  /** The scope that the caller needs besides `chat`. */
  readonly scope?: 'knowledge:read';
}

export interface TargetDeps {
  readonly flows: FlowService;
  readonly apps: Apps;
  readonly models: Models;
  readonly builtIn: BuiltInFlows;
  readonly knowledge: Pick<Knowledge, 'opened'>;
  readonly connections: Pick<Connections, 'list'>;
}

const MODES = ['chat_normal', 'chat_app', 'chat_flow', 'chat_knowledge', 'chat_data'] as const;
type Mode = (typeof MODES)[number];
/** Modes of DB-GPT without a counterpart here. */
const OTHER_MODES = ['chat_dashboard', 'chat_with_db_qa'];

/**
 * Finds the target of a chat; with `draft`, a flow's draft. Throws `invalid_chat_mode`, `chat_mode_not_offered`,
 * `invalid_chat_param`, `app_not_found`, `flow_not_found`, `flow_not_chat`, `flow_invalid`, `model_not_found`,
 * `space_not_found`, `connection_not_found`.
 */
export async function findTarget(deps: TargetDeps, request: ChatRequest, draft = false): Promise<ChatTarget> {
  const flowTarget = draft ? draftTarget : liveTarget;
  const { model } = request;
  const mode = modeOf(request);
  if (mode === 'chat_normal' && model.startsWith(APP_PREFIX))
    return appTarget(deps, model.slice(APP_PREFIX.length), null);
  if (mode === 'chat_normal' && model.startsWith(FLOW_PREFIX))
    return flowTarget(deps, model.slice(FLOW_PREFIX.length), null);
  if (mode === 'chat_normal' && model.startsWith(KNOWLEDGE_PREFIX))
    return knowledgeTarget(deps, model.slice(KNOWLEDGE_PREFIX.length), null);
  if (mode === 'chat_normal' && model.startsWith(DATA_PREFIX))
    return dataTarget(deps, model.slice(DATA_PREFIX.length), null);
  if (mode === 'chat_normal') return modelTarget(deps, model);
  const param = paramOf(mode, request);
  const find = {
    chat_app: appTarget,
    chat_flow: flowTarget,
    chat_knowledge: knowledgeTarget,
    chat_data: dataTarget,
  };
  return find[mode](deps, param, model);
}

function modeOf({ mode = 'chat_normal' }: ChatRequest): Mode {
  const known = MODES.find((one) => one === mode);
  if (known !== undefined) return known;
  const list = MODES.join(', ');
  const param = 'chat_mode';
  if (OTHER_MODES.includes(mode))
    throw new ServiceError(
      'chat_mode_not_offered',
      `This server does not offer \`${mode}\`; it offers ${list}.`,
      { param },
    );
  throw new ServiceError('invalid_chat_mode', `\`chat_mode\` must be one of ${list}.`, { param });
}

const PARAMS: Readonly<Record<Exclude<Mode, 'chat_normal'>, string>> = {
  chat_app: 'the app_code of an app',
  chat_flow: 'the id of a flow',
  chat_knowledge: 'the name or the id of a knowledge space',
  chat_data: 'the name of a connection',
};

function paramOf(mode: keyof typeof PARAMS, { param }: ChatRequest): string {
  if (param !== undefined && param !== '') return param;
  throw new ServiceError('invalid_chat_param', `${mode} needs ${PARAMS[mode]} as \`chat_param\`.`, {
    param: 'chat_param',
  });
}

/**
 * Checks the model here; otherwise a missing one would be noticed at the first item, after a run was started in vain.
 */
function modelTarget(deps: TargetDeps, model: string): ChatTarget {
  return { flow: deps.builtIn.normal(), node: 'chat', name: model, model, answersAs: modelId(deps, model) };
}

/** Somebody who names a flow alone is told how flows are named. */
function modelId({ models, flows }: TargetDeps, name: string): string {
  try {
    return models.find(name).id;
  } catch (error) {
    const flow = flows.live(name);
    if (!(error instanceof WeftError) || flow === undefined || chatTriggerOf(flow) === undefined) throw error;
    const what = `There is no model ${name}; write ${FLOW_PREFIX}${name} for the flow of this name.`;
    throw new WeftError('model_not_found', what);
  }
}

async function appTarget(
  { apps, builtIn }: TargetDeps,
  code: string,
  model: string | null,
): Promise<ChatTarget> {
  if ((await apps.get(code)) === undefined) {
    throw new ServiceError(
      'app_not_found',
      `There is no app \`${code.slice(0, 100)}\`; GET /api/v2/serve/apps lists them with their \`app_code\`.`,
    );
  }
  return { flow: builtIn.app(code), node: 'chat', name: `${APP_PREFIX}${code}`, model };
}

/** A space by its name, or by its id, which DB-GPT's newer clients send. */
async function knowledgeTarget(
  { knowledge, builtIn, models }: TargetDeps,
  given: string,
  wished: string | null,
): Promise<ChatTarget> {
  const opened = await knowledge.opened();
  const { name } =
    (await opened.store.spaceNamed(given)) ??
    (await opened.store.space(given)) ??
    (await opened.named(given));
  const model = answeringModel(models, wished);
  return {
    flow: builtIn.knowledge(name, model === undefined ? 'quotes' : 'model'),
    node: 'chat',
    name: `${KNOWLEDGE_PREFIX}${name}`,
    model: model ?? null,
    ...(model !== undefined && { asks: model }),
    scope: 'knowledge:read',
  };
}

async function dataTarget(
  { connections, builtIn, models }: TargetDeps,
  given: string,
  wished: string | null,
): Promise<ChatTarget> {
  const names = connections.list().map((one) => one.name);
  // Clients of DB-GPT use the name under which they created it.
  const name = names.includes(given) ? given : connectionNameOf(given);
  if (!names.includes(name)) {
    const meant = nearest(name, names);
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    throw new ServiceError(
      'connection_not_found',
      `There is no connection ${given.slice(0, 100)}${hint || '.'}`,
    );
  }
  const model = answeringModel(models, wished);
  if (model === undefined)
    throw new ServiceError(
      'model_not_found',
      'Questions about data need a model that writes the statement, and none is set up: add a provider.',
    );
  return { flow: builtIn.data(name), node: 'chat', name: `${DATA_PREFIX}${name}`, model, asks: model };
}

/** Clients of DB-GPT name some model in every request; an unknown one means the default. The demo model is never used. */
function answeringModel(models: Models, wished: string | null): string | undefined {
  for (const name of wished === null ? [undefined] : [wished, undefined])
    try {
      const { id, provider } = models.find(name);
      if (provider !== 'demo') return id;
    } catch {
      // Tries the next model.
    }
  return undefined;
}

/** Throws for an unknown flow and for a flow with errors. */
async function draftTarget({ flows }: TargetDeps, id: string, model: string | null): Promise<ChatTarget> {
  return { ...targetAt(await flows.draft(id), model), isDraft: true };
}

function liveTarget({ flows }: TargetDeps, id: string, model: string | null): ChatTarget {
  const flow = flows.live(id);
  if (flow === undefined) {
    throw new ServiceError(
      'flow_not_found',
      `There is no live flow \`${id.slice(0, 100)}\`; GET /api/v2/models lists the flows to chat with.`,
    );
  }
  return targetAt(flow, model);
}

function targetAt(flow: LiveFlow, model: string | null): ChatTarget {
  const node = chatTriggerOf(flow);
  if (node === undefined) throw new ServiceError('flow_not_chat');
  return { flow, node, name: `${FLOW_PREFIX}${flow.id}`, model };
}

/** The trigger at which a chat with the flow starts; if there are several, the first by id. */
export function chatTriggerOf({ flow, compiled }: LiveFlow): string | undefined {
  const triggers = [...compiled.plans.keys()].filter((id) => flow.nodes[id]?.operator === CHAT_TRIGGER);
  return triggers.sort()[0];
}
