import type { AnthropicProvider } from '@ai-sdk/anthropic';
import type { OpenAICompatibleProvider } from '@ai-sdk/openai-compatible';

/** The SDK's interface of a model, as its provider packages export it. */
export type LanguageModel = ReturnType<AnthropicProvider['languageModel']>;
export type EmbeddingModel = ReturnType<OpenAICompatibleProvider['embeddingModel']>;
export type CallOptions = Parameters<LanguageModel['doStream']>[0];
export type Prompt = CallOptions['prompt'];
export type StreamPart =
  Awaited<ReturnType<LanguageModel['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;
