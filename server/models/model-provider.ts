import type { Asker, ModelCall } from '#engine';
import type { AnswerSettings, ChatItem, TokenUsage } from '#shared/chat-item.ts';

/** One model of one provider. */
export interface ModelTarget {
  readonly provider: string;
  readonly model: string;
  /** `<provider>/<model>`. */
  readonly id: string;
  readonly reasoning?: boolean | undefined;
}

export interface EmbeddingCall {
  readonly texts: readonly string[];
  /** The requested length of vectors; if omitted, the model decides. */
  readonly dimensions?: number | undefined;
}

export interface Embedded {
  readonly vectors: readonly (readonly number[])[];
  readonly usage: TokenUsage;
}

/** A source of models. Items and errors are those of `ModelService`. */
export interface ModelProvider {
  /** Settings of the call that it does not support and leaves out. */
  ignored(call: Partial<ModelCall>): readonly (keyof AnswerSettings)[];
  chat(target: ModelTarget, call: ModelCall, by: Asker, signal: AbortSignal): AsyncIterable<ChatItem>;
  embed(target: ModelTarget, call: EmbeddingCall, by: Asker, signal: AbortSignal): Promise<Embedded>;
}
