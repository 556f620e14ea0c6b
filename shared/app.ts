import { z } from 'zod';

/**
 * Apps in the format of `/api/v2/serve/apps`. Every field is text or null, except the lists; all keys are always present,
 * since clients of the original parse strictly. Unknown fields of a body are ignored: other versions of the original send
 * more.
 */

export const teamModes = ['single_agent', 'auto_plan', 'awel_layout', 'native_app'] as const;

export const llmStrategies = ['default', 'priority', 'auto'] as const;

/** The types of resources of the original, and ours; an app may name others. */
export const resourceTypes = [
  'database',
  'knowledge',
  'internet',
  'tool',
  'plugin',
  'text_file',
  'excel_file',
  'image_file',
  'awel_flow',
  'pack',
  'http',
  'mcp',
] as const;

const languages = ['en', 'zh'] as const;

const nullableText = z.string().nullable();
const truth = z.enum(['true', 'false']);

// --------------------------------------------------------------------------------------------------------- answers

/** What an agent may use; `value` means what `type` says: the id of a flow, an address, … */
export const AppResource = z.object({
  type: z.string(),
  name: z.string(),
  value: z.string(),
  is_dynamic: z.boolean(),
  /** People must approve each call. */
  needs_approval: z.boolean().optional(),
});
export type AppResource = Readonly<z.infer<typeof AppResource>>;

/** One agent of an app. */
export const AppDetail = z.object({
  app_code: z.string(),
  app_name: z.string(),
  agent_name: z.string(),
  /** Identifies the agent within its app; it does not change when the app does. */
  node_id: z.string(),
  resources: z.array(AppResource).readonly(),
  prompt_template: nullableText,
  llm_strategy: z.enum(llmStrategies),
  /** Names of models, the first choice first, separated by commas. */
  llm_strategy_value: nullableText,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type AppDetail = Readonly<z.infer<typeof AppDetail>>;

/** What answers a chat: an agent, a team of agents, or (`awel_layout`) the flow that `team_context` names. */
export const App = z.object({
  app_code: z.string(),
  app_name: z.string(),
  app_describe: z.string(),
  team_mode: z.enum(teamModes),
  language: z.enum(languages),
  team_context: nullableText,
  user_code: nullableText,
  sys_code: nullableText,
  is_collected: truth,
  icon: nullableText,
  /** ISO 8601 in UTC with milliseconds, as everywhere here. */
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  details: z.array(AppDetail).readonly(),
});
export type App = Readonly<z.infer<typeof App>>;

export const AppPage = z.object({
  total_count: z.int(),
  /** 0 if nothing was found. */
  total_page: z.int(),
  current_page: z.int(),
  /** Newest first. */
  app_list: z.array(App).readonly(),
});
export type AppPage = Readonly<z.infer<typeof AppPage>>;

// ------------------------------------------------------------------------------------------------------------ requests

const SHORT = 255;
const LONG = 65_536;
/** Agents of an app, and resources of an agent. */
const MOST = 100;

const name = z.string().trim().min(1).max(SHORT);
const code = z.string().max(SHORT).nullish();
const longText = z.string().max(LONG).nullish();

/** Some callers send an object in place of a text. */
const textOrObject = z
  .union([z.string().max(LONG), z.looseObject({})])
  .transform((value) => (typeof value === 'object' ? JSON.stringify(value) : value))
  .nullish();

/** `a,b`, a list of names, or such a list as JSON text, which the original returns. */
const modelNames = z
  .union([z.string().max(LONG), z.array(z.string().max(SHORT)).max(MOST)])
  .transform((value) => {
    const names = typeof value === 'string' && value.startsWith('[') ? listIn(value) : value;
    return Array.isArray(names) ? names.join(',') : names;
  })
  .nullish();

function listIn(text: string): string[] | string {
  try {
    return z.array(z.string()).parse(JSON.parse(text));
  } catch {
    return text;
  }
}

const collected = z
  .union([z.boolean(), z.string().regex(/^(?:true|false)$/i, 'Send "true" or "false".')])
  .transform((value) => String(value).toLowerCase() as z.infer<typeof truth>);

const AppResourceBody = z.object({
  type: name,
  name: z.string().max(SHORT),
  value: textOrObject,
  is_dynamic: z.boolean().nullish(),
  needs_approval: z.boolean().nullish().describe('Whether people must approve each call of its tools.'),
});

const AppDetailBody = z.object({
  agent_name: name,
  node_id: z.string().min(1).max(SHORT).nullish(),
  resources: z.array(AppResourceBody).max(MOST).nullish(),
  prompt_template: longText,
  llm_strategy: z.enum(llmStrategies).nullish(),
  llm_strategy_value: modelNames,
});
export type AppDetailBody = z.infer<typeof AppDetailBody>;

/** Creates or changes an app. In a change, omitted fields stay as they are, and null empties a field. */
export const AppBody = z.object({
  app_code: code.describe('In a change: the app, if the address does not name it. A new app gets its own.'),
  app_name: name.describe('Unique among apps.'),
  app_describe: z.string().max(4000),
  team_mode: z
    .enum([...teamModes, 'singe_agent'])
    .transform((mode) => (mode === 'singe_agent' ? 'single_agent' : mode)),
  language: z.enum(languages),
  team_context: textOrObject.describe('With `awel_layout`, the id of the flow that answers.'),
  user_code: code,
  sys_code: code,
  is_collected: collected.nullish().describe('`true` or `false`.'),
  icon: longText,
  details: z.array(AppDetailBody).max(MOST).nullish().describe('The agents.'),
});
export type AppBody = z.infer<typeof AppBody>;

/** A filter; an empty text filters nothing. */
const wanted = z
  .string()
  .max(SHORT)
  .optional()
  .transform((text) => text || undefined);

export const AppListQuery = z.object({
  page: z.coerce.number().int().max(Number.MAX_SAFE_INTEGER).default(1).describe('0 and below mean page 1.'),
  page_size: z.coerce.number().int().min(1).max(100).default(20),
  is_collected: z
    .union([collected, z.string().transform(() => undefined)])
    .optional()
    .describe('`true` or `false`; any other text filters nothing.'),
  user_name: wanted.describe('The `user_code` of the app.'),
  sys_code: wanted,
  name: wanted.describe('Part of the name, in any case.'),
});
export type AppListQuery = z.infer<typeof AppListQuery>;
