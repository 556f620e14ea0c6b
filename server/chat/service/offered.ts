import { APP_PREFIX, DATA_PREFIX, FLOW_PREFIX, KNOWLEDGE_PREFIX } from '#shared/chat-names.ts';
import { isDatabase, lackingConnectionGrant } from '#shared/connection.ts';
import type { ModelUse } from '#shared/model-provider.ts';
import type { Apps } from '../apps/apps.ts';
import type { Connections } from '../../integrations/connections/connections.ts';
import type { FlowService } from '../../flows/service/flow-types.ts';
import type { Knowledge } from '../../integrations/knowledge/knowledge.ts';
import type { Models } from '../../integrations/models/models.ts';
import { CHAT_TRIGGER } from '../../execution/starts/built-in-flows.ts';
import { chatTriggerOf } from './target.ts';

/** A chat target in the format of OpenAI's list of models; `name` and `description` are our additions. */
export interface OfferedModel {
  readonly id: string;
  readonly object: 'model';
  /** Unix seconds. */
  readonly created: number;
  readonly owned_by: string;
  readonly name?: string;
  readonly description?: string;
}

interface Deps {
  readonly models: Models;
  readonly apps: Apps;
  readonly flows: FlowService;
  readonly knowledge: Knowledge;
  readonly connections: Connections;
}

/** What a caller may see. */
export interface Offered {
  /** Lists only models with these uses. */
  readonly uses?: readonly ModelUse[];
  /** Whether the caller may read knowledge. */
  readonly knowledge: boolean;
}

/** The most apps in the list; the app look-up has pages for more. */
const MAX_APPS = 100;

/** Models first, then apps, flows with a chat trigger, knowledge spaces, and databases that are granted to chats. */
export async function offeredModels(
  deps: Deps,
  { uses = ['chat'], knowledge }: Offered,
): Promise<OfferedModel[]> {
  const spaces = knowledge ? await spacesOf(deps) : [];
  return [
    ...modelsOf(deps, uses),
    ...(await appsOf(deps)),
    ...flowsOf(deps),
    ...spaces,
    ...databasesOf(deps),
  ];
}

/** No store is opened if no space was ever made. */
async function spacesOf({ knowledge }: Deps): Promise<OfferedModel[]> {
  if (!knowledge.exists()) return [];
  const spaces = await (await knowledge.opened()).spaces();
  return spaces.map(({ name, description, createdAt }) => ({
    id: `${KNOWLEDGE_PREFIX}${name}`,
    object: 'model',
    created: Math.floor(Date.parse(createdAt) / 1000) || 0,
    owned_by: 'knowledge',
    name,
    description,
  }));
}

function databasesOf({ connections }: Deps): OfferedModel[] {
  const open = connections.list().filter(({ name, kind, grants }) => {
    const by = { flow: `${DATA_PREFIX}${name}`, operator: 'sql.ask' };
    return isDatabase(kind) && lackingConnectionGrant(grants, by) === undefined;
  });
  return open.map(({ name, description = '' }) => ({
    id: `${DATA_PREFIX}${name}`,
    object: 'model',
    created: 0,
    owned_by: 'data',
    name,
    description,
  }));
}

/** Lists models also under their aliases, for clients that look for a fixed name. */
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

/** The params of `trigger.chat`, already checked by its schema. */
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
