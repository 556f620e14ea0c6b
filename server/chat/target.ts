import { APP_PREFIX, FLOW_PREFIX } from '#shared/chat-names.ts';
import type { ChatRequest } from '#shared/chat-request.ts';
import type { Apps } from '../apps/apps.ts';
import type { FlowService, LiveFlow } from '../flows/flow-types.ts';
import type { Models } from '../models/models.ts';
import { ServiceError } from '../errors/errors.ts';
import { type BuiltInFlows, CHAT_TRIGGER } from '../starts/built-in-flows.ts';

/** The model, app or flow that answers a chat. */
export interface ChatTarget {
  readonly flow: LiveFlow;
  /** The trigger node. */
  readonly node: string;
  /** Its name in conversations: a model, `app:<code>` or `flow:<id>`. */
  readonly name: string;
  /** The model that the client named; null if it named an app or a flow instead. */
  readonly model: string | null;
  /** The full name of the answering model, if it is known in advance. */
  readonly answersAs?: string;
  /** `flow` is the draft, or the file if there is no draft. */
  readonly isDraft?: boolean;
}

export type TargetDeps = { readonly flows: FlowService; readonly apps: Apps; readonly models: Models } & {
  readonly builtIn: BuiltInFlows;
};

const MODES = ['chat_normal', 'chat_app', 'chat_flow'] as const;
/** Modes of the original that search its own kinds of data. */
const OTHER_MODES = ['chat_knowledge', 'chat_data', 'chat_dashboard', 'chat_with_db_qa'];

/**
 * Finds the target of a chat; with `draft`, a flow's draft. Throws `invalid_chat_mode`, `chat_mode_not_offered`,
 * `invalid_chat_param`, `app_not_found`, `flow_not_found`, `flow_not_chat`, `flow_invalid`, `model_not_found`.
 */
export async function findTarget(deps: TargetDeps, request: ChatRequest, draft = false): Promise<ChatTarget> {
  const flowTarget = draft ? draftTarget : liveTarget;
  const { model } = request;
  const mode = modeOf(request);
  if (mode === 'chat_normal' && model.startsWith(APP_PREFIX))
    return appTarget(deps, model.slice(APP_PREFIX.length), null);
  if (mode === 'chat_normal' && model.startsWith(FLOW_PREFIX))
    return flowTarget(deps, model.slice(FLOW_PREFIX.length), null);
  if (mode === 'chat_normal') return modelTarget(deps, model);
  const param = paramOf(mode, request);
  return mode === 'chat_app' ? appTarget(deps, param, model) : flowTarget(deps, param, model);
}

function modeOf({ mode = 'chat_normal' }: ChatRequest): (typeof MODES)[number] {
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

function paramOf(mode: string, { param }: ChatRequest): string {
  if (param !== undefined && param !== '') return param;
  const what = mode === 'chat_app' ? 'the app_code of an app' : 'the id of a flow';
  throw new ServiceError('invalid_chat_param', `${mode} needs ${what} as \`chat_param\`.`, {
    param: 'chat_param',
  });
}

/** Otherwise a missing model would be noticed at the first item, after a run was started for nothing. */
function modelTarget({ builtIn, models }: TargetDeps, model: string): ChatTarget {
  const { id } = models.find(model);
  return { flow: builtIn.normal(), node: 'chat', name: model, model, answersAs: id };
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

/** Throws for an unknown flow and for one with errors. */
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

/** The trigger at which a chat with the flow starts: if there are several, the first by id. */
export function chatTriggerOf({ flow, compiled }: LiveFlow): string | undefined {
  const triggers = [...compiled.plans.keys()].filter((id) => flow.nodes[id]?.operator === CHAT_TRIGGER);
  return triggers.sort()[0];
}
