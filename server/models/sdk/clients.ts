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
}

/** Makes models of one kind of provider; its package is loaded at first use. */
interface Client {
  /** Where its API begins, if the provider does not say. */
  readonly baseUrl: string;
  chat(access: Access, model: string): Promise<LanguageModel>;
  embedding(access: Access, model: string): Promise<EmbeddingModel>;
}

/** Keys and addresses are always given: what is left out the SDK would take from its own environment variables. */
const openAiCompatible: Client = {
  baseUrl: '',
  async chat(access, model) {
    return (await openAi(access)).chatModel(model);
  },
  async embedding(access, model) {
    return (await openAi(access)).embeddingModel(model);
  },
};

export const clients: Readonly<Record<ProviderType, Client>> = {
  'openai-compatible': openAiCompatible,
  ollama: { ...openAiCompatible, baseUrl: 'http://127.0.0.1:11434/v1' },
  anthropic: {
    baseUrl: 'https://api.anthropic.com/v1',
    async chat({ baseUrl: baseURL, key: apiKey = '', fetch }, model) {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ baseURL, apiKey, fetch }).languageModel(model);
    },
    async embedding({ name }) {
      throw new WeftError('model_refused', `The provider ${name} is of a type that has no embedding models.`);
    },
  },
  google: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
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

async function openAi({ name, baseUrl: baseURL, key, fetch }: Access) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const structured = { includeUsage: true, supportsStructuredOutputs: true };
  return createOpenAICompatible({
    name,
    baseURL,
    fetch,
    ...structured,
    ...(key !== undefined && { apiKey: key }),
  });
}
