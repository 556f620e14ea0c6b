import { z } from 'zod';
import { Id } from './flow.ts';

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

export const OfferedModel = z.strictObject({
  name: z.string().min(1).max(200).describe('As the provider calls it.'),
  use: ModelUse.default('chat'),
  prices: ModelPrices.optional(),
});
export type OfferedModel = z.infer<typeof OfferedModel>;

export const ProviderType = z.enum(['openai-compatible', 'anthropic', 'google', 'ollama']);
export type ProviderType = z.infer<typeof ProviderType>;

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
    models: z.array(OfferedModel).min(1).max(200),
    timeoutMs: z
      .int()
      .min(1000)
      .max(600_000)
      .default(120_000)
      .describe('Longest silence, before and within an answer, in milliseconds.'),
  })
  .refine(({ type, baseUrl }) => type !== 'openai-compatible' || baseUrl !== undefined, {
    message: 'a provider of the type openai-compatible needs it',
    path: ['baseUrl'],
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
  models: z.array(OfferedModel),
  timeoutMs: z.int().optional(),
});
export type ProviderInfo = z.infer<typeof ProviderInfo>;

/** A model that flows and chats can ask for. */
export const ModelInfo = z.object({
  /** `<provider>/<model>`. */
  id: z.string(),
  provider: z.string(),
  model: z.string(),
  use: ModelUse,
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
