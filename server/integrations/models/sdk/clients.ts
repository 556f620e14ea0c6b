import { WeftError } from '#engine';
import type { ProviderType } from '#shared/model-provider.ts';
import type { EmbeddingModel, LanguageModel } from './types.ts';

/** How a client reaches its provider. */
export interface Access {
  /** The provider's id. */
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly fetch: typeof fetch;
  /** Whether the usage of streamed answers is requested, which some servers refuse. */
  readonly streamUsage?: boolean;
  /** Changes the body of a chat request before it is sent; only for providers that speak OpenAI's protocol. */
  readonly body?: (written: Readonly<Record<string, unknown>>) => Record<string, unknown>;
}

/** Makes models of one kind of provider; its package is loaded on first use. */
export interface Client {
  chat(access: Access, model: string): Promise<LanguageModel>;
  embedding(access: Access, model: string): Promise<EmbeddingModel>;
}

/** Keys and addresses are always set: the SDK would read omitted ones from its own environment variables. */
const openAiCompatible: Client = {
  async chat(access, model) {
    return (await openAi(access)).chatModel(model);
  },
  async embedding(access, model) {
    return (await openAi(access)).embeddingModel(model);
  },
};

export const clients: Readonly<Record<ProviderType, Client>> = {
  'openai-compatible': openAiCompatible,
  ollama: openAiCompatible,
  anthropic: {
    async chat({ baseUrl: baseURL, key: apiKey = '', fetch }, model) {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ baseURL, apiKey, fetch }).languageModel(model);
    },
    async embedding({ name }) {
      throw new WeftError('model_refused', `The provider ${name} has a type without embedding models.`);
    },
  },
  google: {
    async chat({ baseUrl: baseURL, key: apiKey = '', fetch }, model) {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle({ baseURL, apiKey, fetch }).languageModel(model);
    },
    async embedding({ baseUrl: baseURL, key: apiKey = '', fetch }, model) {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle({ baseURL, apiKey, fetch }).embeddingModel(model);
    },
  },
};

async function openAi({ name, baseUrl: baseURL, key, fetch, body, streamUsage = true }: Access) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const structured = { includeUsage: streamUsage, supportsStructuredOutputs: true };
  return createOpenAICompatible({
    name,
    baseURL,
    fetch,
    ...structured,
    ...(key !== undefined && { apiKey: key }),
    ...(body && { transformRequestBody: body }),
  });
}
