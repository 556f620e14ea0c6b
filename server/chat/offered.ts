import { APP_PREFIX, FLOW_PREFIX } from '#shared/chat-names.ts';
import type { ModelUse } from '#shared/model-provider.ts';
import type { Apps } from '../apps/apps.ts';
import type { FlowService } from '../flows/flow-types.ts';
import type { Models } from '../models/models.ts';
import { CHAT_TRIGGER } from '../starts/built-in-flows.ts';
import { chatTriggerOf } from './target.ts';

/** Everything to chat with, in the format of OpenAI's list of models; `name` and `description` are our additions. */
export interface OfferedModel {
  readonly id: string;
  readonly object: 'model';
  /** Unix seconds. */
  readonly created: number;
  readonly owned_by: string;
  readonly name?: string;
  readonly description?: string;
}

type Deps = { readonly models: Models; readonly apps: Apps; readonly flows: FlowService };

/** The most apps in the list; the app look-up has pages for more. */
const MAX_APPS = 100;

/** Models first, then apps, then flows with a chat trigger; of models only those with these uses. */
export async function offeredModels(
  deps: Deps,
  uses: readonly ModelUse[] = ['chat'],
): Promise<OfferedModel[]> {
  return [...modelsOf(deps, uses), ...(await appsOf(deps)), ...flowsOf(deps)];
}

/** Also under their aliases, for clients that look for a fixed name. */
function modelsOf({ models }: Deps, uses: readonly ModelUse[]): OfferedModel[] {
  const fitting = models.list().filter(({ use }) => uses.includes(use));
  const all = fitting.map(({ id, provider }) => modelOf(id, provider));
  const aliases = Object.keys(models.aliases()).filter((alias) => all.every(({ id }) => id !== alias));
  return [...all, ...aliases.map((alias) => modelOf(alias, 'alias'))];
}

function modelOf(id: string, owner: string): OfferedModel {
  return { id, object: 'model', created: 0, owned_by: owner };
}

async function appsOf({ apps }: Deps): Promise<OfferedModel[]> {
  const { app_list: list } = await apps.list({
    page: 1,
    page_size: MAX_APPS,
    user_name: undefined,
    sys_code: undefined,
    name: undefined,
  });
  return list.map((app) => ({
    id: `${APP_PREFIX}${app.app_code}`,
    object: 'model',
    created: Math.floor(Date.parse(app.created_at ?? '') / 1000) || 0,
    owned_by: 'app',
    name: app.app_name ?? '',
    description: app.app_describe ?? '',
  }));
}

/** Params of `trigger.chat`, already checked by its schema. */
type ChatParams = { readonly title?: string; readonly description?: string };

function flowsOf({ flows }: Deps): OfferedModel[] {
  const chats = flows.list().filter(({ triggers }) => triggers.some((one) => one.operator === CHAT_TRIGGER));
  return chats.flatMap(({ id }) => {
    const live = flows.live(id);
    const node = live && chatTriggerOf(live);
    if (live === undefined || node === undefined) return [];
    const { title, description } = (live.compiled.plans.get(node)?.params ?? {}) as ChatParams;
    return [
      {
        id: `${FLOW_PREFIX}${id}`,
        object: 'model',
        created: 0,
        owned_by: 'flow',
        name: title ?? live.flow.name ?? id,
        description: description ?? live.flow.description ?? '',
      },
    ];
  });
}
