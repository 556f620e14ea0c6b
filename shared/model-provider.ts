import { z } from 'zod';
import { APP_PREFIX, FLOW_PREFIX } from './chat-names.ts';
import { Id } from './flow.ts';
import { placeOf, PROVIDER_TYPES } from './provider-address.ts';

/** What is configured of the providers of models: over `/api/v1/providers`, in WEFT_PROVIDERS, and as it is kept. */

export const ProviderId = Id.refine((id) => id !== 'demo', { message: 'demo is the built-in one' });

export const ModelUse = z.enum(['chat', 'embedding']);
export type ModelUse = z.infer<typeof ModelUse>;

export const ModelPrices = z.strictObject({
  input: z.number().min(0).describe('US dollars for a million tokens that are sent.'),
  output: z.number().min(0).describe('US dollars for a million tokens that come back.'),
  cached: z
    .number()
    .min(0)
    .optional()
    .describe('The same for those sent that were in its cache; left out, they cost what others do.'),
});
export type ModelPrices = z.infer<typeof ModelPrices>;

export const ModelInput = z.enum(['text', 'image', 'file']);
export type ModelInput = z.infer<typeof ModelInput>;

export const OfferedModel = z.strictObject({
  name: z.string().min(1).max(200).describe('As the provider calls it.'),
  use: ModelUse.default('chat'),
  input: z
    .array(ModelInput)
    .min(1)
    .max(3)
    .optional()
    .describe(
      'The content that messages may have. Left out: all three for anthropic and google, text for the others.',
    ),
  reasoning: z
    .boolean()
    .optional()
    .describe(
      'A reasoning model of OpenAI, which takes `max_completion_tokens`; left out, its name tells (o1, o3, gpt-5, …).',
    ),
  prices: ModelPrices.optional(),
});
export type OfferedModel = z.infer<typeof OfferedModel>;

/** Another name for a model, as clients write it; it must not look like the name of an app or a flow. */
const ModelAlias = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => name.trim() === name && !name.startsWith(APP_PREFIX) && !name.startsWith(FLOW_PREFIX), {
    message: 'a name without blanks around it that begins with neither app: nor flow:',
  });

export const ModelAliases = z.record(ModelAlias, z.string().min(1).max(300));
export type ModelAliases = Readonly<z.infer<typeof ModelAliases>>;

export const ModelSettings = z.strictObject({
  chat: z.string().min(1).max(300).optional().describe('The model that is asked where none is named.'),
  embedding: z.string().min(1).max(300).optional().describe('The same for vectors.'),
  aliases: ModelAliases.default({}).describe('Models by the other names that clients may use for them.'),
});
export type ModelSettings = Readonly<z.infer<typeof ModelSettings>>;

/** The settings with what the configuration says, which comes before them. */
export const ModelSettingsInfo = ModelSettings.extend({
  fixed: z.object({
    chat: z.string().optional().describe('WEFT_MODEL.'),
    aliases: ModelAliases.describe('WEFT_MODEL_ALIASES.'),
  }),
});
export type ModelSettingsInfo = z.infer<typeof ModelSettingsInfo>;

export const ProviderType = z.enum(PROVIDER_TYPES);
export type ProviderType = z.infer<typeof ProviderType>;

/** What a provider says that it offers. */
export const ProviderDiscovery = z.strictObject({
  type: ProviderType,
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  key: z.strictObject({ $secret: Id }).optional(),
  allow: z.string().max(300).optional(),
});
export type ProviderDiscovery = z.infer<typeof ProviderDiscovery>;

export const DiscoveredModels = z.object({ models: z.array(OfferedModel) });
export type DiscoveredModels = z.infer<typeof DiscoveredModels>;

export const ProviderBody = z
  .strictObject({
    type: ProviderType,
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe(
        'Where its API begins, like https://api.example.com/v1; for anthropic, google and ollama optional.',
      ),
    key: z
      .strictObject({ $secret: Id })
      .optional()
      .describe('The secret that holds the API key; grant it to the host of `baseUrl`.'),
    allow: z
      .string()
      .max(300)
      .optional()
      .describe(
        'The host and port of `baseUrl`, such as 127.0.0.1:11434, where these are on this machine or in a private network and requests of this provider may go there.',
      ),
    models: z.array(OfferedModel).min(1).max(200),
    timeoutMs: z
      .int()
      .min(1000)
      .max(600_000)
      .default(120_000)
      .describe('Longest silence, before and within an answer, in milliseconds.'),
    stream: z
      .boolean()
      .optional()
      .describe(
        'With `false` answers are asked for whole, for providers and models that do not stream: `timeoutMs` is then the longest time of an answer.',
      ),
    streamUsage: z
      .boolean()
      .optional()
      .describe(
        'With `false` streamed answers are not asked for their usage (`stream_options`), which some servers refuse; their tokens then count as 0.',
      ),
  })
  .refine(({ type, baseUrl }) => type !== 'openai-compatible' || baseUrl !== undefined, {
    message: 'a provider of the type openai-compatible needs it',
    path: ['baseUrl'],
  })
  .refine((body) => body.allow === undefined || body.allow === placeOf(body), {
    message: 'must be the host and port of `baseUrl`: an allowed address is the one of this provider only',
    path: ['allow'],
  });
export type ProviderBody = z.infer<typeof ProviderBody>;

/** A provider as the API tells it; never with a key. */
export const ProviderInfo = z.object({
  id: z.string(),
  type: z.enum([...ProviderType.options, 'demo']),
  /** `built-in` and `environment` cannot be changed over the API. */
  source: z.enum(['built-in', 'environment', 'file']),
  baseUrl: z.string().optional(),
  key: z.object({ $secret: z.string() }).optional(),
  /** The address that an administrator has allowed for it. */
  allow: z.string().optional(),
  models: z.array(OfferedModel),
  timeoutMs: z.int().optional(),
  stream: z.boolean().optional(),
  streamUsage: z.boolean().optional(),
});
export type ProviderInfo = z.infer<typeof ProviderInfo>;

/** A model that flows and chats can ask for. */
export const ModelInfo = z.object({
  /** `<provider>/<model>`. */
  id: z.string(),
  provider: z.string(),
  model: z.string(),
  use: ModelUse,
  /** What messages may hold; text alone where it is absent. */
  input: z.array(ModelInput).optional(),
  reasoning: z.boolean().optional(),
  prices: ModelPrices.optional(),
  /** What is asked where no model is named. */
  default: z.boolean(),
});
export type ModelInfo = z.infer<typeof ModelInfo>;

/** What came of asking a provider for a word. */
export const ProviderTrial = z.object({
  ok: z.boolean(),
  model: z.string(),
  ms: z.number(),
  text: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});
export type ProviderTrial = z.infer<typeof ProviderTrial>;
